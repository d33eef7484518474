// Plain values through wire_writer and wire_reader, without an actor system.
#define CAF_SUITE wire_values
#include "caf_app/cluster/wire_reader.hpp"
#include "caf_app/cluster/wire_writer.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include <caf/test/unit_test.hpp>

#include "caf_app/base/error.hpp"
#include "caf_app/cluster/wire_format.hpp"

using namespace caf_app;

namespace {

template <class T>
std::string written(const T& x) {
  std::string out;
  wire_writer sink{nullptr, out};
  CAF_REQUIRE_EQUAL(sink(x), caf::none);
  return out;
}

template <class T>
T read(std::string_view bytes) {
  T x{};
  wire_reader source{nullptr, bytes};
  CAF_REQUIRE_EQUAL(source(x), caf::none);
  CAF_CHECK(source.rest().empty());
  return x;
}

template <class T>
bool refused(std::string_view bytes) {
  T x{};
  wire_reader source{nullptr, bytes};
  return code_of(source(x)) == errc::malformed_message;
}

} // namespace

CAF_TEST(integers are big endian) {
  CAF_CHECK_EQUAL(written(uint32_t{0x01020304}), std::string("\1\2\3\4", 4));
  CAF_CHECK_EQUAL(read<int64_t>(written(std::numeric_limits<int64_t>::min())),
                  std::numeric_limits<int64_t>::min());
  CAF_CHECK_EQUAL(read<int8_t>(written(int8_t{-1})), -1);
}

CAF_TEST(doubles cross bit by bit) {
  using limits = std::numeric_limits<double>;
  for (const double x : {0.0, -0.0, 1.0 / 3, limits::infinity(), -limits::infinity(), limits::max(),
                         limits::denorm_min(), limits::quiet_NaN(), std::nan("0x123")})
    CAF_CHECK_EQUAL(std::bit_cast<uint64_t>(read<double>(written(x))), std::bit_cast<uint64_t>(x));
}

CAF_TEST(floats cross bit by bit) {
  using limits = std::numeric_limits<float>;
  for (const float x : {-0.0f, 0.1f, limits::infinity(), limits::denorm_min(), limits::quiet_NaN()})
    CAF_CHECK_EQUAL(std::bit_cast<uint32_t>(read<float>(written(x))), std::bit_cast<uint32_t>(x));
}

CAF_TEST(long doubles keep their value and their sign) {
  using limits = std::numeric_limits<long double>;
  for (const long double x : {1.0L / 3, -limits::max(), limits::min(), limits::denorm_min(),
                              limits::infinity(), -limits::infinity()})
    CAF_CHECK(read<long double>(written(x)) == x);
  CAF_CHECK(std::signbit(read<long double>(written(-0.0L))));
  CAF_CHECK(std::isnan(read<long double>(written(limits::quiet_NaN()))));
}

CAF_TEST(a long double of an unknown kind is refused) {
  CAF_CHECK(refused<long double>("\x04"));
  CAF_CHECK(refused<long double>(std::string{"\x01\x7f\xff\xff\xff\0\0\0\0\0\0\0\1", 13}));
}

CAF_TEST(text and containers come back) {
  const std::map<std::string, std::vector<int16_t>> x{{"", {}}, {std::string(300, 'a'), {1, -2}}};
  CAF_CHECK((read<std::map<std::string, std::vector<int16_t>>>(written(x)) == x));
  CAF_CHECK(read<std::u16string>(written(std::u16string(u"\u00e4\uffff"))) == u"\u00e4\uffff");
  CAF_CHECK(read<std::u32string>(written(std::u32string(U"\U0001f600"))) == U"\U0001f600");
}

CAF_TEST(no length is believed beyond the bytes that are left) {
  CAF_CHECK(refused<std::string>("\x03"
                                 "ab"));
  CAF_CHECK(!refused<std::string>("\x02"
                                  "ab"));
  CAF_CHECK(refused<std::vector<uint8_t>>("\xff\xff\xff\xff\x0f"));
  CAF_CHECK(refused<std::u16string>(std::string{"\x02"
                                                "abc",
                                                4}));
  CAF_CHECK(!refused<std::u16string>(std::string{"\x02"
                                                 "abcd",
                                                 5}));
  CAF_CHECK(refused<std::u32string>(std::string{"\x01"
                                                "abc",
                                                4}));
}

CAF_TEST(a length of more than five bytes is refused) {
  CAF_CHECK(refused<std::string>(std::string("\x80\x80\x80\x80\x80\x00", 6)));
  CAF_CHECK(refused<std::string>("\x80"));
}

CAF_TEST(every cut of a value is refused) {
  const auto bytes = written(std::vector<std::string>{"one", "two", "three"});
  for (size_t n = 0; n < bytes.size(); ++n)
    CAF_CHECK((refused<std::vector<std::string>>(std::string_view{bytes}.substr(0, n))));
}

CAF_TEST(types that reach into the internals of CAF are recognised) {
  CAF_CHECK(wire_format::names_refused_type("@<>+@i32+@group"));
  CAF_CHECK(wire_format::names_refused_type("@<>+@open_stream_msg+@i32"));
  CAF_CHECK(!wire_format::names_refused_type("@<>+@groups+@str"));
  CAF_CHECK(!wire_format::names_refused_type("@<>"));
}
