#define CAF_SUITE fcgi_codec
#include "actors/http/fcgi_codec.hpp"

#include <caf/test/unit_test.hpp>

using namespace caf_app::http;

namespace {

std::string record(int type, std::string_view content, int padding = 0, int id = 1) {
  std::string result{"\1", 1};
  result += static_cast<char>(type);
  result += static_cast<char>(id >> 8);
  result += static_cast<char>(id & 255);
  result += static_cast<char>(content.size() >> 8);
  result += static_cast<char>(content.size() & 255);
  result += static_cast<char>(padding);
  result += '\0';
  return result.append(content).append(static_cast<size_t>(padding), 'p');
}

std::string end_of(char status, uint32_t code = 0) {
  std::string content(8, '\0');
  content[0] = static_cast<char>(code >> 24);
  content[3] = static_cast<char>(code & 255);
  content[4] = status;
  return record(3, content);
}

/// What a reader sees in slices of `size`: output plain, errors in brackets.
std::string read(std::string_view input, size_t size) {
  fcgi_reader reader;
  std::string result;
  for (size_t at = 0; at < input.size(); at += size) {
    const std::string slice{input.substr(at, size)};
    std::span<const char> bytes{slice};
    while (!bytes.empty()) {
      const auto step = reader.feed(bytes);
      bytes = bytes.subspan(step.consumed);
      const std::string data{step.data.begin(), step.data.end()};
      switch (step.event) {
        case fcgi_event::need_more: break;
        case fcgi_event::output: result += data; break;
        case fcgi_event::errors:
          for (const auto c : data)
            result.append("[").append(1, c).append("]");
          break;
        case fcgi_event::end:
          result += "|" + std::to_string(static_cast<int>(reader.status())) + "," +
                    std::to_string(reader.app_status()) + "|";
          break;
        case fcgi_event::bad: return result + "bad";
      }
    }
  }
  return result;
}

void check(std::string_view input, std::string_view wanted) {
  for (size_t size = 1; size <= input.size() + 1; ++size)
    CAF_CHECK_EQUAL(read(input, size), wanted);
}

} // namespace

CAF_TEST(a request is records with the id 1) {
  std::string out;
  append_fcgi_begin(out);
  CAF_CHECK_EQUAL(out, record(1, std::string_view{"\0\1\1\0\0\0\0\0", 8}));
  out.clear();
  std::string params;
  append_fcgi_pair(params, "A", "bc");
  append_fcgi_params(out, params);
  CAF_CHECK_EQUAL(out, record(4, "\1\2Abc") + record(4, ""));
  out.clear();
  append_fcgi_stdin(out, "");
  CAF_CHECK_EQUAL(out, "");
  append_fcgi_stdin(out, "body");
  append_fcgi_stdin_end(out);
  append_fcgi_abort(out);
  CAF_CHECK_EQUAL(out, record(5, "body") + record(5, "") + record(2, ""));
}

CAF_TEST(long content is cut into records) {
  for (const size_t size : {65'534, 65'535, 65'536}) {
    std::string out;
    append_fcgi_stdin(out, std::string(size, 'x'));
    CAF_CHECK_EQUAL(out.size(), size + 8 * (size > 65'535 ? 2 : 1));
  }
}

CAF_TEST(lengths above 127 take four bytes) {
  for (const size_t size : {127, 128, 70'000}) {
    std::string pair;
    append_fcgi_pair(pair, "N", std::string(size, 'v'));
    CAF_CHECK_EQUAL(pair.size(), size + 1 + (size > 127 ? 5 : 2));
    if (size == 70'000)
      CAF_CHECK_EQUAL(pair.substr(0, 5), (std::string{"\x01\x80\x01\x11\x70", 5}));
  }
}

CAF_TEST(output and errors in any order and padding) {
  check(record(6, "ab", 3) + record(7, "e") + record(6, "", 8) + record(6, "c") + record(7, "", 0) +
            end_of(0),
        "ab[e]c|0,0|");
  check(end_of(0, 7), "|0,7|");
  check(end_of(2), "|2,0|");
  check(end_of(9), "|3,0|");
}

CAF_TEST(what is no FastCGI is bad) {
  check("HTTP/1.1 502", "bad");
  check(record(6, "x", 0, 2), "bad");
  check(record(11, "x"), "bad");
  check(record(3, "short"), "bad");
}

CAF_TEST(a reader goes on after a request) {
  const auto one = record(6, "a") + end_of(0);
  check(one + one, "a|0,0|a|0,0|");
}
