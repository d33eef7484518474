#define CAF_SUITE field

#include "actors/http/field_list.hpp"

#include <caf/test/unit_test.hpp>

using namespace caf_app::http;
using namespace std::literals;

namespace {

std::string elements_of(std::string_view list) {
  std::string result;
  while (const auto element = next_list_element(list))
    result.append("<").append(*element).append(">");
  return result;
}

field line(std::string_view name, std::string_view value) {
  return {name, value, find_known_field(name)};
}

} // namespace

CAF_TEST(every known field is found by its name in any case) {
  for (size_t i = 1; i < known_field_count; ++i) {
    const auto id = static_cast<known_field>(i);
    std::string name{to_string(id)};
    CAF_CHECK(!name.empty() && find_known_field(name) == id);
    for (auto& c : name)
      c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
    CAF_CHECK(find_known_field(name) == id);
  }
}

CAF_TEST(other names are other fields) {
  for (auto name : {"", "x", "hos", "hostt", "hOst\r", "h0st", "content_length", "Content\rLength"})
    CAF_CHECK(find_known_field(name) == known_field::other);
}

CAF_TEST(a token has one tchar or more) {
  CAF_CHECK(is_token("!#$%&'*+-.^_`|~0aZ"));
  for (auto text : {"", " ", "a b", "a:", "a\x7f", "a\x80", "(", "\"", "/", "@"})
    CAF_CHECK(!is_token(text));
}

CAF_TEST(a value has no control byte at any place) {
  for (size_t length : {0, 1, 15, 16, 17, 31, 33, 64}) {
    const std::string good(length, '\xe4');
    CAF_CHECK(is_field_value(good));
    for (size_t at = 0; at < length; ++at) {
      for (char bad : "\x01\x08\x0a\x0b\x0d\x1f\x7f"sv) {
        auto text = good;
        text[at] = bad;
        CAF_CHECK(!is_field_value(text));
      }
      auto text = good;
      text[at] = '\0';
      CAF_CHECK(!is_field_value(text));
      text[at] = '\t';
      CAF_CHECK(is_field_value(text));
    }
  }
}

CAF_TEST(lists have elements between commas that are not quoted) {
  CAF_CHECK_EQUAL(elements_of("a, b ,\tc"), "<a><b><c>");
  CAF_CHECK_EQUAL(elements_of(" , ,a,"), "<a>");
  CAF_CHECK_EQUAL(elements_of("\"a,\\\"b\" , c"), "<\"a,\\\"b\"><c>");
  CAF_CHECK_EQUAL(elements_of("\"a,b"), "<\"a,b>");
  CAF_CHECK_EQUAL(elements_of(""), "");
  CAF_CHECK(has_list_token("x, CLOSE", "close"));
  CAF_CHECK(!has_list_token("closed, x-close", "close"));
}

CAF_TEST(a length is digits below 2 ^ 63) {
  CAF_CHECK(parse_length("0") == 0u);
  CAF_CHECK(parse_length("0042") == 42u);
  CAF_CHECK(parse_length("9223372036854775807") == 9223372036854775807u);
  for (auto text :
       {"", "-1", "+1", " 1", "1 ", "0x1", "1,1", "9223372036854775808", "18446744073709551616"})
    CAF_CHECK(!parse_length(text));
}

CAF_TEST(a list of fields knows the first line and repeats) {
  field_list fields;
  fields.push_back(line("X", "1"));
  fields.push_back(line("Host", "a"));
  fields.push_back(line("CONNECTION", "x"));
  fields.push_back(line("connection", "y, Close"));
  CAF_CHECK_EQUAL(fields.first(known_field::host), "a"sv);
  CAF_CHECK(!fields.is_repeated(known_field::host));
  CAF_CHECK_EQUAL(fields.first(known_field::connection), "x"sv);
  CAF_CHECK(fields.is_repeated(known_field::connection));
  CAF_CHECK(fields.has_token(known_field::connection, "close"));
  CAF_CHECK(!fields.has_token(known_field::connection, "keep-alive"));
  CAF_CHECK(!fields.has(known_field::expect));
  CAF_CHECK_EQUAL(fields.first(known_field::expect), ""sv);
  CAF_CHECK(fields.find("x") == &fields.lines()[0]);
  CAF_CHECK(fields.find("y") == nullptr);
}

CAF_TEST(a cleared list knows nothing of before) {
  field_list fields;
  fields.push_back(line("Host", "a"));
  fields.push_back(line("Host", "b"));
  fields.clear();
  CAF_CHECK(!fields.has(known_field::host) && !fields.is_repeated(known_field::host));
  fields.push_back(line("Host", "c"));
  CAF_CHECK_EQUAL(fields.first(known_field::host), "c"sv);
}

CAF_TEST(moved bytes take the views along) {
  const std::string from = "Host: a";
  const std::string to = from;
  field_list fields;
  const std::string_view view = from;
  fields.push_back(line(view.substr(0, 4), view.substr(6)));
  fields.rebase(from.data(), to.data());
  CAF_CHECK(fields.lines()[0].name.data() == to.data());
  CAF_CHECK(fields.lines()[0].value.data() == to.data() + 6);
}
