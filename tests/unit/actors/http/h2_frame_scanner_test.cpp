#define CAF_SUITE h2_frame_scanner
#include "actors/http/h2_frame_scanner.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <caf/test/unit_test.hpp>

#include "support/h2_frames.hpp"

using namespace caf_app::http;

namespace {

bool any(const h2_frame_head&) { return true; }

std::string seen(std::string_view bytes, size_t slice) {
  h2_frame_scanner scanner;
  std::string result;
  std::string fed;
  for (auto rest = bytes; !rest.empty(); rest.remove_prefix(std::min(slice, rest.size())))
    scanner.scan(
        rest.substr(0, slice),
        [&](const h2_frame_head& head) {
          result += std::to_string(static_cast<int>(head.type)) + '/' + std::to_string(head.flags) +
                    '/' + std::to_string(head.length) + ' ';
          return true;
        },
        [&](std::string_view piece) {
          fed += piece;
          return true;
        });
  return fed == bytes ? result : "changed";
}

/// Pieces after the greeting, with the bytes at which each was passed on.
std::vector<std::pair<size_t, size_t>> pieces(const std::string& bytes) {
  const auto greeting = h2::hello();
  h2_frame_scanner scanner;
  scanner.scan(greeting, any, [](std::string_view) { return true; });
  std::vector<std::pair<size_t, size_t>> result;
  for (size_t at = 0; at < bytes.size(); ++at)
    scanner.scan(std::string_view{bytes}.substr(at, 1), any, [&](std::string_view piece) {
      result.emplace_back(piece.size(), at + 1);
      return true;
    });
  return result;
}

} // namespace

CAF_TEST(every frame is seen once in every slicing and every byte passed on) {
  const auto bytes = h2::hello(h2::setting(1, 2)) + h2::get(1) + h2::body(1, "") +
                     h2::body(1, std::string(20'000, 'a')) + h2::frame(0x42, 0xff, 0, "abc");
  const auto whole = seen(bytes, bytes.size());
  CAF_CHECK(whole.starts_with("4/0/6 4/1/0 1/5/"));
  CAF_CHECK(whole.ends_with("0/1/0 0/1/20000 66/255/3 "));
  for (const auto slice : {size_t{1}, size_t{2}, size_t{5}, size_t{9}, size_t{10}, size_t{1000}})
    CAF_CHECK_EQUAL(seen(bytes, slice), whole);
}

CAF_TEST(a refused frame and what follows are not passed on) {
  const auto refuse_data = [](const h2_frame_head& head) { return head.type != h2_frame::data; };
  const auto before = h2::hello() + h2::get(1);
  const auto bytes = before + h2::body(1, "abc") + h2::get(3);
  for (const auto cut : {bytes.size(), before.size() + 4}) {
    h2_frame_scanner scanner;
    size_t passed = 0;
    const auto feed = [&](std::string_view piece) {
      passed += piece.size();
      return true;
    };
    scanner.scan(std::string_view{bytes}.substr(0, cut), refuse_data, feed);
    scanner.scan(std::string_view{bytes}.substr(cut), refuse_data, feed);
    CAF_CHECK_EQUAL(passed, before.size());
  }
}

CAF_TEST(nothing is passed on after a piece that was the last one) {
  h2_frame_scanner scanner;
  size_t calls = 0;
  scanner.scan(h2::hello() + h2::get(1), any, [&](std::string_view) { return ++calls < 2; });
  CAF_CHECK_EQUAL(calls, 2u); // the preface, SETTINGS
}

CAF_TEST(frames wait until they are whole) {
  using list = std::vector<std::pair<size_t, size_t>>;
  CAF_CHECK(pieces(h2::frame(h2::ping, 0, 0, "12345678")) == (list{{17, 17}}));
  CAF_CHECK(pieces(h2::frame(h2::settings, h2::ack, 0)) == (list{{9, 9}}));
  CAF_CHECK(pieces(h2::frame(h2::goaway, 0, 0, "123456789")) == (list{{18, 18}}));
  const std::string longest(h2_frame_head::payload_max, 'a');
  CAF_CHECK(pieces(h2::frame(h2::headers, 0, 1, longest)) == (list{{16393, 16393}}));
}

CAF_TEST(content is passed on as it comes) {
  const auto bytes = h2::body(1, "abc");
  CAF_CHECK(pieces(bytes) ==
            (std::vector<std::pair<size_t, size_t>>{{9, 9}, {1, 10}, {1, 11}, {1, 12}}));
}

CAF_TEST(frames of a wrong length are passed on by their heads) {
  const std::vector<std::string> wrong{
      h2::frame(h2::ping, 0, 0, "1234567"),
      h2::frame(h2::ping, 0, 0, "123456789"),
      h2::frame(h2::priority, 0, 1, "1234"),
      h2::frame(h2::rst_stream, 0, 1, "12345"),
      h2::frame(h2::window_update, 0, 0, "123"),
      h2::frame(h2::settings, 0, 0, "12345"),
      h2::frame(h2::settings, h2::ack, 0, "123456"),
      h2::frame(h2::goaway, 0, 0, "1234567"),
      h2::frame(h2::headers, 0, 1, std::string(h2_frame_head::payload_max + 1, 'a')),
  };
  for (const auto& each : wrong) {
    const auto found = pieces(each);
    CAF_REQUIRE(!found.empty());
    CAF_CHECK_EQUAL(found[0].first, 9u);
  }
}

CAF_TEST(a first frame that is not SETTINGS is passed on by its head) {
  for (const auto& first : {h2::get(1), h2::frame(h2::settings, h2::ack, 0)}) {
    h2_frame_scanner scanner;
    std::vector<size_t> sizes;
    scanner.scan(h2::magic + first, any, [&](std::string_view piece) {
      sizes.push_back(piece.size());
      return true;
    });
    CAF_CHECK_EQUAL(sizes[1], 9u);
  }
}

CAF_TEST(a field section is open from its first to its last byte) {
  const auto bytes = h2::hello() + h2::frame(h2::headers, h2::none, 1, "abc") +
                     h2::frame(h2::continuation, h2::none, 1, "d") +
                     h2::frame(h2::continuation, h2::end_headers, 1, "e") + h2::body(1, "f") +
                     h2::get(3);
  const auto begin = h2::hello().size() + 9; // when the head of the first frame is whole
  const auto end = begin + 3 + 10 + 10;
  h2_frame_scanner scanner;
  for (size_t at = 0; at < bytes.size(); ++at) {
    scanner.scan(std::string_view{bytes}.substr(at, 1), any, [](std::string_view) { return true; });
    if (at + 1 < end + 10)
      CAF_CHECK_EQUAL(scanner.in_section(), at + 1 >= begin && at + 1 < end);
  }
  CAF_CHECK(!scanner.in_section());
  CAF_CHECK_EQUAL(scanner.sections(), 2u);
}

CAF_TEST(the stream of a frame is told) {
  h2_frame_scanner scanner;
  std::vector<uint32_t> streams;
  scanner.scan(
      h2::hello() + h2::get(5) + h2::body(0x7fffffff, "x"),
      [&](const h2_frame_head& head) {
        streams.push_back(head.stream);
        return true;
      },
      [](std::string_view) { return true; });
  CAF_CHECK(streams == (std::vector<uint32_t>{0, 0, 5, 0x7fffffff}));
}
