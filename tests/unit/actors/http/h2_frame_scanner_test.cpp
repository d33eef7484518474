#define CAF_SUITE h2_frame_scanner
#include "actors/http/h2_frame_scanner.hpp"

#include <string>
#include <vector>

#include <caf/test/unit_test.hpp>

#include "support/h2_frames.hpp"

using namespace caf_app::http;

namespace {

std::string seen(std::string_view bytes, size_t slice) {
  h2_frame_scanner scanner;
  std::string result;
  while (!bytes.empty()) {
    const auto part = bytes.substr(0, slice);
    const auto end = scanner.scan(part, [&](const h2_frame_head& head) {
      result += std::to_string(static_cast<int>(head.type)) + '/' + std::to_string(head.flags) +
                '/' + std::to_string(head.length) + ' ';
      return true;
    });
    if (end != part.size())
      return "refused";
    bytes.remove_prefix(part.size());
  }
  return result;
}

} // namespace

CAF_TEST(every frame is seen once in every slicing) {
  const auto bytes = h2::hello(h2::setting(1, 2)) + h2::get(1) + h2::body(1, "") +
                     h2::body(1, std::string(20'000, 'a')) + h2::frame(0x42, 0xff, 0, "abc");
  const auto whole = seen(bytes, bytes.size());
  CAF_CHECK(whole.starts_with("4/0/6 4/1/0 1/5/"));
  CAF_CHECK(whole.ends_with("0/1/0 0/1/20000 66/255/3 "));
  for (const auto slice : {size_t{1}, size_t{2}, size_t{5}, size_t{9}, size_t{10}, size_t{1000}})
    CAF_CHECK_EQUAL(seen(bytes, slice), whole);
}

CAF_TEST(a refused frame and what follows are cut off) {
  const auto refuse_data = [](const h2_frame_head& head) { return head.type != h2_frame::data; };
  const auto before = h2::hello() + h2::get(1);
  h2_frame_scanner scanner;
  CAF_CHECK_EQUAL(scanner.scan(before + h2::body(1, "abc") + h2::get(3), refuse_data),
                  before.size());
  h2_frame_scanner sliced;
  CAF_CHECK_EQUAL(sliced.scan(before + h2::body(1, "abc").substr(0, 4), refuse_data),
                  before.size() + 4);
  CAF_CHECK_EQUAL(sliced.scan(h2::body(1, "abc").substr(4), refuse_data), 0u);
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
    scanner.scan(std::string_view{bytes}.substr(at, 1), [](const h2_frame_head&) { return true; });
    if (at + 1 < end + 10)
      CAF_CHECK_EQUAL(scanner.in_section(), at + 1 >= begin && at + 1 < end);
  }
  CAF_CHECK(!scanner.in_section());
  CAF_CHECK_EQUAL(scanner.sections(), 2u);
}

CAF_TEST(the stream of a frame is told) {
  h2_frame_scanner scanner;
  std::vector<uint32_t> streams;
  scanner.scan(h2::hello() + h2::get(5) + h2::body(0x7fffffff, "x"),
               [&](const h2_frame_head& head) {
                 streams.push_back(head.stream);
                 return true;
               });
  CAF_CHECK(streams == (std::vector<uint32_t>{0, 0, 5, 0x7fffffff}));
}
