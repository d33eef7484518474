#include "caf_app/eval/bind.hpp"

#include "caf_app/eval/json_text.hpp"

namespace caf_app::eval::detail {

namespace {

/// A function's own words: what is not UTF-8 cannot go into a reply.
std::string readable(std::string text) {
  if (!is_utf8(text))
    for (auto& c : text)
      if (static_cast<unsigned char>(c) >= 0x80)
        c = '?';
  return text;
}

} // namespace

std::string sentence(const std::string& name, const decode_fault& fault) {
  return name + fault.path + ": " + fault.text;
}

std::string current_error() {
  try {
    throw;
  } catch (const std::exception& e) {
    return readable(e.what());
  } catch (...) {
    return "an exception that is no std::exception";
  }
}

std::optional<std::string> too_deep(const json& value) {
  if (value.depth() <= json_depth_max)
    return std::nullopt;
  return "the result nests deeper than " + std::to_string(json_depth_max);
}

} // namespace caf_app::eval::detail
