#include "caf_app/base/config_override.hpp"

#include <charconv>
#include <optional>

#include "caf_app/base/config_toml.hpp"
#include "caf_app/base/error.hpp"
#include "caf_app/base/escape.hpp"
#include "caf_app/base/limits.hpp"

namespace caf_app {

namespace {

bool is_key_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

/// The words of a dotted key; none if one is empty or has an odd letter.
std::vector<std::string> split_key(std::string_view key) {
  std::vector<std::string> words{1};
  for (const char c : key) {
    if (c == '.')
      words.emplace_back();
    else if (is_key_char(c))
      words.back() += c;
    else
      return {};
  }
  for (const auto& word : words)
    if (word.empty())
      return {};
  return words;
}

std::optional<size_t> parse_index(std::string_view word) {
  size_t index = 0;
  const auto* end = word.data() + word.size();
  const auto [rest, failed] = std::from_chars(word.data(), end, index);
  if (failed != std::errc{} || rest != end)
    return std::nullopt;
  return index;
}

/// The place of `word` below `parent`, made when missing; nullptr if there cannot be one.
config_value* step(config_value& parent, const std::string& word, const config_position& at) {
  if (auto* elements = std::get_if<config_value::array>(&parent.data)) {
    const auto index = parse_index(word);
    return index && *index < elements->size() ? &(*elements)[*index] : nullptr;
  }
  auto* members = parent.as_table();
  if (!members)
    return nullptr;
  for (auto& member : *members)
    if (member.key == word)
      return &member.value;
  config_member fresh{word, at, {}};
  fresh.value.at = at;
  return &members->emplace_back(std::move(fresh)).value;
}

caf::error refuse(const config_position& at, const std::string& text) {
  return caf::make_error(errc::invalid_config, to_string(at) + ": " + text);
}

} // namespace

caf::error apply_override(config_value& root, std::string_view option) {
  const auto equals = option.find('=');
  const auto key = option.substr(0, equals);
  std::string source = "--set ";
  append_line_escaped(source, key);
  const config_position at{std::make_shared<const std::string>(std::move(source)), 0, 0};
  if (equals == option.npos)
    return refuse(at, "expected key=value, such as http.loops=2");
  const auto words = split_key(key);
  if (words.empty() || words.size() > limits::config::nesting_max)
    return refuse(at, "expected a dotted key, such as http.limits.max_body");
  const auto text = option.substr(equals + 1);
  auto* place = &root;
  std::string path;
  for (const auto& word : words) {
    auto* below = step(*place, word, at);
    if (!below)
      return refuse(at, place->as_array() ? "expected the number of an existing element of \"" +
                                                path + "\", found \"" + word + "\""
                                          : "\"" + path + "\" is " + describe(*place) +
                                                " and has no key \"" + word + "\"");
    path += (path.empty() ? "" : ".") + word;
    place = below;
  }
  // A value that is no TOML is a string without its quotes: people do not fight their shell for it.
  if (auto value = parse_toml_value(text, at))
    *place = std::move(*value);
  else
    place->data = std::string{text};
  place->at = at;
  return {};
}

} // namespace caf_app
