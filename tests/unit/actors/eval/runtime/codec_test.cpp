#define CAF_SUITE codec
#include "caf_app/eval/codec.hpp"

#include <limits>
#include <stdexcept>

#include <caf/test/unit_test.hpp>

#include "caf_app/eval/json_text.hpp"

#include "support/throws.hpp"

using namespace caf_app::eval;

namespace {

struct line {
  std::string text;
  nat count;
  std::optional<int64_t> note;
  std::vector<line> parts;
};
BOOST_DESCRIBE_STRUCT(line, (), (text, count, note, parts))

struct no_json {
  int value;
};
struct holds_no_json {
  no_json inner;
};
BOOST_DESCRIBE_STRUCT(holds_no_json, (), (inner))

static_assert(crosses<line> && crosses<std::map<std::string, std::vector<line>>>);
static_assert(crosses<std::vector<bool>> && crosses<std::optional<json>>);
static_assert(!crosses<no_json> && !crosses<holds_no_json> && !crosses<int> && !crosses<float>);
static_assert(!crosses<std::map<nat, nat>> && !crosses<std::vector<no_json>>);

/// What decoding `text` and encoding again gives: a JSON text, or "path: fault".
template <class T>
std::string round_trip(std::string_view text) {
  T value{};
  decode_fault fault;
  if (!codec<T>::decode(std::get<json>(read_json(text)), value, fault))
    return fault.path + ": " + fault.text;
  return to_text(codec<T>::encode(value));
}

} // namespace

CAF_TEST(integers survive exactly) {
  CAF_CHECK_EQUAL(round_trip<nat>("123456789012345678901234567890"),
                  "123456789012345678901234567890");
  CAF_CHECK_EQUAL(round_trip<integer>("-123456789012345678901234567890"),
                  "-123456789012345678901234567890");
  CAF_CHECK_EQUAL(round_trip<int64_t>("-9223372036854775808"), "-9223372036854775808");
  CAF_CHECK_EQUAL(round_trip<integer>("-0"), "0");
}

CAF_TEST(what is no integer is refused) {
  CAF_CHECK_EQUAL(round_trip<nat>("-1"), ": expected a natural number, got -1");
  CAF_CHECK_EQUAL(round_trip<nat>("5.0"), ": expected a natural number, got 5.0");
  CAF_CHECK_EQUAL(round_trip<integer>("1e2"), ": expected an integer, got 1e2");
  CAF_CHECK_EQUAL(round_trip<integer>("\"1\""), ": expected an integer, got \"1\"");
  CAF_CHECK_EQUAL(round_trip<int64_t>("9223372036854775808"),
                  ": expected an integer of 64 bits, got 9223372036854775808");
}

CAF_TEST(doubles take every number that fits) {
  CAF_CHECK_EQUAL(round_trip<double>("0.1"), "0.1");
  CAF_CHECK_EQUAL(round_trip<double>("3"), "3");
  CAF_CHECK_EQUAL(round_trip<double>("1e-400"), "0");
  CAF_CHECK_EQUAL(round_trip<double>("1e400"), ": expected a number that fits a double, got 1e400");
  CAF_CHECK(throws<std::domain_error>(
      [&] { return codec<double>::encode(std::numeric_limits<double>::quiet_NaN()); }));
}

CAF_TEST(plain types take their own kind only) {
  CAF_CHECK_EQUAL(round_trip<bool>("true"), "true");
  CAF_CHECK_EQUAL(round_trip<bool>("0"), ": expected a boolean, got 0");
  CAF_CHECK_EQUAL(round_trip<std::string>("\"a\""), "\"a\"");
  CAF_CHECK_EQUAL(round_trip<std::string>("[1]"), ": expected a string, got an array");
  CAF_CHECK_EQUAL(round_trip<unit>("null"), "null");
  CAF_CHECK_EQUAL(round_trip<unit>("{}"), ": expected null, got an object");
  CAF_CHECK_EQUAL(round_trip<json>(R"({"b":1.50,"a":[]})"), R"({"b":1.50,"a":[]})");
}

CAF_TEST(containers name the place of a fault) {
  CAF_CHECK_EQUAL(round_trip<std::vector<nat>>("[1,2,-3]"),
                  "[2]: expected a natural number, got -3");
  CAF_CHECK_EQUAL((round_trip<std::map<std::string, std::vector<bool>>>(R"({"a":[true,1]})")),
                  ".a[1]: expected a boolean, got 1");
  CAF_CHECK_EQUAL(round_trip<std::optional<nat>>("null"), "null");
  CAF_CHECK_EQUAL(round_trip<std::vector<bool>>("[true,false]"), "[true,false]");
}

CAF_TEST(an absent optional member is empty and written as null) {
  CAF_CHECK_EQUAL(round_trip<line>(R"({"parts":[],"count":1,"text":"x"})"),
                  R"({"text":"x","count":1,"note":null,"parts":[]})");
}

CAF_TEST(structs refuse missing and unknown members by path) {
  CAF_CHECK_EQUAL(round_trip<line>(R"({"text":"x","parts":[]})"), ".count: missing");
  CAF_CHECK_EQUAL(
      round_trip<line>(
          R"({"text":"x","count":1,"parts":[{"text":"y","count":1,"parts":[],"z":0}]})"),
      ".parts[0].z: unknown member");
  CAF_CHECK_EQUAL(round_trip<line>("[]"), ": expected an object, got an array");
}

CAF_TEST(text that is no UTF - 8 does not leave) {
  CAF_CHECK(throws<std::domain_error>([&] { return codec<std::string>::encode("\xFF"); }));
  CAF_CHECK(
      throws<std::domain_error>([&] { return codec<json>::encode(json{std::string{"\xFF"}}); }));
  CAF_CHECK(throws<std::domain_error>(
      [&] { return codec<json>::encode(json{json::number_text{"1,2"}}); }));
}
