// Chunked content of any bytes: slices change neither data, trailers, end nor error, and what is
// passed on is what a second, slower reading finds.
#include "actors/http/h1_chunked.hpp"

#include <string>

#include "caf_app/base/assert.hpp"

#include "actors/http/field.hpp"
#include "fuzz/support/slices.hpp"

using namespace caf_app::http;

namespace {

struct outcome {
  std::string data;
  std::string trailers;
  size_t consumed = 0;
  h1_body_event event = h1_body_event::need_more;
  fault error = fault::none;

  bool operator==(const outcome&) const = default;
};

outcome decode(const std::vector<std::string_view>& slices) {
  h1_chunked decoder{{4096, 64, 256, 4}};
  outcome result;
  for (const auto slice : slices) {
    std::span<const char> rest{slice};
    for (;;) {
      const auto step = decoder.feed(rest);
      CAF_APP_ASSERT(step.consumed <= rest.size());
      rest = rest.subspan(step.consumed);
      result.data.append(step.data.data(), step.data.size());
      result.consumed += step.consumed;
      result.event = step.event;
      result.error = step.error;
      if (step.event == h1_body_event::need_more)
        CAF_APP_ASSERT(rest.empty());
      if (step.event != h1_body_event::data)
        break;
    }
    if (result.event == h1_body_event::done || result.event == h1_body_event::error)
      break;
  }
  CAF_APP_ASSERT(decoder.received() == result.data.size());
  CAF_APP_ASSERT(result.data.size() <= 4096);
  for (const auto& trailer : decoder.trailers()) {
    CAF_APP_ASSERT(is_token(trailer.name) && is_field_value(trailer.value));
    CAF_APP_ASSERT(is_allowed_trailer(trailer.name));
    result.trailers += trailer.name + ":" + trailer.value + "\n";
  }
  return result;
}

// What a body without extensions and trailers holds, read the simple way.
std::string read_simply(std::string_view text) {
  std::string data;
  for (;;) {
    const auto line = text.substr(0, text.find("\r\n"));
    const auto size = std::stoull(std::string{line.substr(0, line.find(';'))}, nullptr, 16);
    text.remove_prefix(line.size() + 2);
    if (size == 0)
      return data;
    data += text.substr(0, size);
    text.remove_prefix(size + 2);
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  const std::string_view input{reinterpret_cast<const char*>(bytes), size};
  const auto whole = decode({input});
  CAF_APP_ASSERT((whole.event == h1_body_event::error) == (whole.error != fault::none));
  for (uint64_t salt : {0, 1, 2})
    CAF_APP_ASSERT(decode(fuzz::slices_of(input, salt)) == whole);
  if (whole.event == h1_body_event::done)
    CAF_APP_ASSERT(read_simply(input) == whole.data);
  return 0;
}
