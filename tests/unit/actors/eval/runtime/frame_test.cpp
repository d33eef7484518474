#define CAF_SUITE frame
#include "caf_app/eval/frame.hpp"

#include <caf/test/unit_test.hpp>

using namespace caf_app::eval;

namespace {

using state = frame_reader::state;

std::string bytes_of(const std::vector<frame>& frames) {
  std::string bytes;
  for (auto& one : frames)
    bytes += encode(one);
  return bytes;
}

} // namespace

CAF_TEST(a frame is size and kind and id and payload in little endian) {
  CAF_CHECK(encode({frame_kind::call, 0x0102, "xy"}) ==
            (std::string{"\x0b\0\0\0\x06\x02\x01\0\0\0\0\0\0xy", 15}));
}

CAF_TEST(frames come out whole however the stream is sliced) {
  const std::vector<frame> frames{{frame_kind::hello, 0, ""},
                                  {frame_kind::call, 7, std::string(300, 'a')},
                                  {frame_kind::reply, ~uint64_t{0}, std::string{"\0\n", 2}}};
  const auto bytes = bytes_of(frames);
  for (size_t slice = 1; slice <= bytes.size(); ++slice) {
    frame_reader reader{1000};
    frame got;
    size_t count = 0;
    for (size_t at = 0; at < bytes.size(); at += slice) {
      reader.feed(std::string_view{bytes}.substr(at, slice));
      while (reader.next(got) == state::ready) {
        CAF_REQUIRE(count < frames.size());
        CAF_CHECK(got.kind == frames[count].kind);
        CAF_CHECK_EQUAL(got.id, frames[count].id);
        CAF_CHECK_EQUAL(got.payload, frames[count].payload);
        ++count;
      }
    }
    CAF_REQUIRE_EQUAL(count, frames.size());
  }
}

CAF_TEST(payloads are limited) {
  for (size_t size : {9u, 10u, 11u}) {
    frame_reader reader{10};
    frame got;
    reader.feed(encode({frame_kind::call, 1, std::string(size, 'x')}));
    CAF_CHECK(reader.next(got) == (size <= 10 ? state::ready : state::broken));
  }
}

CAF_TEST(a size that holds no head and an unknown kind break the stream) {
  for (auto bytes : {std::string{"\x08\0\0\0", 4}, std::string{"\x09\0\0\0\0\0\0\0\0\0\0\0\0", 13},
                     std::string{"\x09\0\0\0\x0a\0\0\0\0\0\0\0\0", 13}}) {
    frame_reader reader{10};
    frame got;
    reader.feed(bytes);
    CAF_CHECK(reader.next(got) == state::broken);
  }
}
