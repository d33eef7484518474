#include "caf_app/base/config_toml.hpp"

#include <algorithm>
#include <optional>

namespace {

/// toml++ 3.3 asserts what some broken files violate, such as `a = [}`. Its assertions end the
/// parse instead of the process.
struct broken_assertion {};

[[noreturn]] void break_assertion() { throw broken_assertion{}; }

} // namespace

#undef NDEBUG // else toml++ takes what it asserts for granted
#define TOML_ASSERT(expr) (static_cast<bool>(expr) ? static_cast<void>(0) : break_assertion())
#define TOML_EXCEPTIONS 1
#define TOML_MAX_NESTED_VALUES 32 // limits::config::nesting_max
#include <toml++/toml.h>

#include "caf_app/base/error.hpp"
#include "caf_app/base/limits.hpp"

static_assert(TOML_MAX_NESTED_VALUES == caf_app::limits::config::nesting_max);

namespace caf_app {

namespace {

using source_name = std::shared_ptr<const std::string>;

/// Finds a dotted key that is too deep. toml++ makes a table per dot and frees them recursively:
/// half a million of them, which fit a file, overflow the stack. Dots count per line, outside of
/// strings and comments, which is what a key cannot escape from.
class dot_guard {
public:
  /// @returns the offset of the first dot too many, else npos
  static size_t find(std::string_view text) {
    size_t dots = 0;
    for (size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      if (c == '\n')
        dots = 0;
      else if (c == '#')
        i = std::min(text.find('\n', i), text.size()) - 1;
      else if (c == '"' || c == '\'')
        i = end_of_string(text, i);
      else if (c == '.' && ++dots > dots_max)
        return i;
    }
    return text.npos;
  }

private:
  static constexpr size_t dots_max = 256;

  /// @param begin of its opening quote @returns the offset of its last byte
  static size_t end_of_string(std::string_view text, size_t begin) {
    const std::string_view quote = text.substr(begin, 1);
    const auto triple = std::string(3, quote.front());
    const bool long_one = text.substr(begin, 3) == triple;
    const auto closing = long_one ? std::string_view{triple} : quote;
    for (auto i = begin + closing.size(); i < text.size(); ++i) {
      if (text[i] == '\\' && quote == "\"")
        ++i;
      else if (text[i] == '\n' && !long_one)
        return i - 1; // not closed: the parser will say so, the line break counts
      else if (text.substr(i, closing.size()) == closing)
        return i + closing.size() - 1;
    }
    return text.size();
  }
};

/// Turns toml++'s tree into ours.
class converter {
public:
  explicit converter(source_name source) : source_(std::move(source)) {}

  /// @returns no value if the nesting is deeper than we want to recurse
  std::optional<config_value> convert(const toml::node& node, size_t depth = 0) {
    if (depth > limits::config::nesting_max)
      return std::nullopt;
    config_value result;
    result.at = position(node.source());
    if (const auto* members = node.as_table())
      return with(std::move(result), convert_table(*members, depth));
    if (const auto* elements = node.as_array())
      return with(std::move(result), convert_array(*elements, depth));
    if (const auto* text = node.as_string())
      result.data = text->get();
    else if (const auto* integer = node.as_integer())
      result.data = integer->get();
    else if (const auto* real = node.as_floating_point())
      result.data = real->get();
    else if (const auto* boolean = node.as_boolean())
      result.data = boolean->get();
    else
      result.data = config_value::date{};
    return result;
  }

private:
  config_position position(const toml::source_region& region) const {
    return {source_, region.begin.line, region.begin.column};
  }

  template <class Data>
  static std::optional<config_value> with(config_value value, std::optional<Data> data) {
    if (!data)
      return std::nullopt;
    value.data = std::move(*data);
    return value;
  }

  std::optional<config_value::table> convert_table(const toml::table& members, size_t depth) {
    config_value::table result;
    for (const auto& [key, node] : members) {
      auto value = convert(node, depth + 1);
      if (!value)
        return std::nullopt;
      result.push_back({std::string{key.str()}, position(key.source()), std::move(*value)});
    }
    // toml++ sorts by key, people read in the order of the file.
    std::stable_sort(result.begin(), result.end(), [](const auto& x, const auto& y) {
      return std::tie(x.at.line, x.at.column) < std::tie(y.at.line, y.at.column);
    });
    return result;
  }

  std::optional<config_value::array> convert_array(const toml::array& elements, size_t depth) {
    config_value::array result;
    for (const auto& node : elements) {
      auto value = convert(node, depth + 1);
      if (!value)
        return std::nullopt;
      result.push_back(std::move(*value));
    }
    return result;
  }

  source_name source_;
};

config_position position_of(const source_name& name, std::string_view text, size_t offset) {
  const auto before = text.substr(0, offset);
  const auto line = static_cast<uint32_t>(std::count(before.begin(), before.end(), '\n')) + 1;
  const auto start = before.rfind('\n') == before.npos ? 0 : before.rfind('\n') + 1;
  return {name, line, static_cast<uint32_t>(offset - start) + 1};
}

bool breaks_assertion(std::string_view text) {
  try {
    static_cast<void>(toml::parse(text));
  } catch (const toml::parse_error&) {
  } catch (const broken_assertion&) {
    return true;
  }
  return false;
}

/// @param text that breaks an assertion @returns the offset of the byte that does: the shortest
///        beginning that breaks one ends there
size_t broken_at(std::string_view text) {
  size_t whole = 0;
  size_t broken = text.size();
  while (whole + 1 < broken) {
    const auto middle = whole + (broken - whole) / 2;
    (breaks_assertion(text.substr(0, middle)) ? broken : whole) = middle;
  }
  return broken - 1;
}

void move_all(config_value& value, const config_position& at) {
  value.at = at;
  if (auto* members = value.as_table())
    for (auto& member : *members) {
      member.at = at;
      move_all(member.value, at);
    }
  if (auto* elements = std::get_if<config_value::array>(&value.data))
    for (auto& element : *elements)
      move_all(element, at);
}

} // namespace

caf::expected<config_value> parse_toml(std::string_view text, const std::string& source) {
  const auto name = std::make_shared<const std::string>(source);
  const auto refuse = [](const config_position& at, std::string_view why) {
    return caf::make_error(errc::invalid_config, to_string(at) + ": " + std::string{why});
  };
  if (const auto dot = dot_guard::find(text); dot != text.npos)
    return refuse(position_of(name, text, dot), "found too many dots");
  try {
    auto root = converter{name}.convert(toml::parse(text));
    if (!root)
      return caf::make_error(errc::invalid_config, source + ": nested too deeply");
    root->at = {name, 1, 1};
    return std::move(*root);
  } catch (const toml::parse_error& failure) {
    const auto& begin = failure.source().begin;
    return refuse({name, begin.line, begin.column}, failure.description());
  } catch (const broken_assertion&) {
    return refuse(position_of(name, text, broken_at(text)), "found no TOML value");
  }
}

caf::expected<config_value> parse_toml_value(std::string_view text, const config_position& at) {
  auto root = parse_toml("value = " + std::string{text}, to_string(at));
  if (!root)
    return std::move(root.error());
  // More than one member: the text went on after a line break.
  auto* members = root->as_table();
  if (members->size() != 1 || members->front().key != "value")
    return caf::make_error(errc::invalid_config, to_string(at) + ": more than one value");
  auto value = std::move(members->front().value);
  move_all(value, at);
  return value;
}

} // namespace caf_app
