// Bytes of a FastCGI server: slices change nothing, no byte is lost, and a slow reader of whole
// records finds the same. What was read as output is what a script has written: its head is read in
// slices too.
#include "actors/http/fcgi_codec.hpp"

#include <optional>
#include <string>

#include "caf_app/base/assert.hpp"

#include "actors/http/cgi_head.hpp"
#include "actors/http/field.hpp"
#include "fuzz/support/slices.hpp"

using namespace caf_app::http;

namespace {

struct outcome {
  std::string output;
  std::string errors;
  size_t consumed = 0;
  bool bad = false;
  std::optional<int> status;

  bool operator==(const outcome&) const = default;
};

outcome read(const std::vector<std::string_view>& slices) {
  fcgi_reader reader;
  outcome result;
  for (const auto slice : slices) {
    std::span<const char> rest{slice};
    while (!rest.empty() && !result.bad && !result.status) {
      const auto step = reader.feed(rest);
      CAF_APP_ASSERT(step.consumed <= rest.size());
      CAF_APP_ASSERT(step.consumed > 0 || step.event == fcgi_event::bad);
      rest = rest.subspan(step.consumed);
      result.consumed += step.consumed;
      switch (step.event) {
        case fcgi_event::need_more: CAF_APP_ASSERT(rest.empty()); break;
        case fcgi_event::output: result.output.append(step.data.data(), step.data.size()); break;
        case fcgi_event::errors: result.errors.append(step.data.data(), step.data.size()); break;
        case fcgi_event::end: result.status = static_cast<int>(reader.status()); break;
        case fcgi_event::bad: result.bad = true; break;
      }
    }
  }
  return result;
}

// Record by record.
outcome read_simply(std::string_view bytes) {
  outcome result;
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(bytes[i]); };
  while (bytes.size() >= 8) {
    const size_t content = byte(4) * 256u + byte(5);
    const size_t padding = byte(6);
    const auto type = byte(1);
    if (byte(0) != 1 || byte(2) != 0 || byte(3) != 1 || (type != 3 && type != 6 && type != 7) ||
        (type == 3 && content != 8)) {
      result.bad = true;
      return result;
    }
    auto& stream = type == 6 ? result.output : result.errors;
    if (type != 3)
      stream += bytes.substr(8, content);
    if (bytes.size() < 8 + content + padding)
      return result;
    if (type == 3) {
      result.status = std::min<int>(byte(12), 3);
      return result;
    }
    bytes.remove_prefix(8 + content + padding);
  }
  return result;
}

struct head_outcome {
  cgi_head_reader::outcome last = cgi_head_reader::outcome::need_more;
  std::string text;

  bool operator==(const head_outcome&) const = default;
};

head_outcome read_head(const std::vector<std::string_view>& slices) {
  cgi_head_reader reader{256};
  head_outcome result;
  std::string behind;
  for (const auto slice : slices) {
    if (result.last == cgi_head_reader::outcome::need_more)
      result.last = reader.feed(slice);
    else
      behind += slice;
  }
  if (result.last != cgi_head_reader::outcome::head)
    return result;
  const auto& head = reader.head();
  CAF_APP_ASSERT(head.status >= 200 && head.status <= 599);
  result.text = std::to_string(head.status) + "\n";
  for (const auto& [name, value] : head.fields) {
    CAF_APP_ASSERT(is_token(name) && is_field_value(value));
    result.text += name + ":" + value + "\n";
  }
  result.text += std::string{reader.rest()} + behind;
  return result;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  const std::string_view input{reinterpret_cast<const char*>(bytes), size};
  const auto whole = read({input});
  auto simple = read_simply(input);
  simple.consumed = whole.consumed;
  CAF_APP_ASSERT(whole == simple);
  const auto output = whole.output.empty() ? input : std::string_view{whole.output};
  const auto head = read_head({output});
  for (uint64_t salt : {0, 1, 2}) {
    CAF_APP_ASSERT(read(fuzz::slices_of(input, salt)) == whole);
    CAF_APP_ASSERT(read_head(fuzz::slices_of(output, salt)) == head);
  }
  return 0;
}
