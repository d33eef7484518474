// Any bytes as a worker's stream: frames come out the same however it was sliced, payloads keep
// their limit, and what comes out encodes to what went in.
#include "caf_app/eval/frame.hpp"

#include <vector>

#include "caf_app/base/assert.hpp"

using namespace caf_app::eval;

namespace {

constexpr size_t payload_max = 1000;

struct outcome {
  std::string bytes; // of the frames, encoded again
  bool broken = false;
};

outcome read_slices(std::string_view text, size_t slice) {
  frame_reader reader{payload_max};
  outcome result;
  frame got;
  while (!text.empty()) {
    const auto count = std::min(slice, text.size());
    reader.feed(text.substr(0, count));
    text.remove_prefix(count);
    for (auto state = reader.next(got); state != frame_reader::state::more;
         state = reader.next(got)) {
      if (state == frame_reader::state::broken) {
        result.broken = true;
        return result;
      }
      CAF_APP_ASSERT(got.payload.size() <= payload_max);
      result.bytes += encode(got);
    }
  }
  return result;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  const auto whole = read_slices(text, size + 1);
  CAF_APP_ASSERT(text.substr(0, whole.bytes.size()) == whole.bytes);
  for (size_t slice : {1u, 2u, 3u, 7u, 64u}) {
    const auto sliced = read_slices(text, slice);
    CAF_APP_ASSERT(sliced.bytes == whole.bytes && sliced.broken == whole.broken);
  }
  return 0;
}
