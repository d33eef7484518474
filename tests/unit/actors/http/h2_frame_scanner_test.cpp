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
