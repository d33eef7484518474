// Rules made of rules: choices, lists, optional values, other number types.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "caf_app/base/config_rule.hpp"

namespace caf_app {

/// Text joined for people: `"a", "b" or "c"`.
std::string alternatives(const std::vector<std::string>& words);

/// One of a fixed set of strings. @param choices text and value, at least one
template <class T>
config_rule<T> as_choice(std::vector<std::pair<std::string, T>> choices) {
  std::vector<std::string> words;
  for (const auto& [word, value] : choices)
    words.push_back(toml_quoted(word));
  const auto wanted = alternatives(words);
  config_rule<T> rule;
  rule.type = wanted;
  rule.read = [=](const config_value& value, T& out, config_report& report) {
    if (const auto* text = value.as<std::string>())
      for (const auto& [word, choice] : choices)
        if (word == *text) {
          out = choice;
          return true;
        }
    return expected_other(value, wanted, report);
  };
  rule.format = [=](const T& value) {
    for (const auto& [word, choice] : choices)
      if (choice == value)
        return toml_quoted(word);
    return std::string{};
  };
  return rule;
}

/// The rule for a field of another arithmetic type; the range of `rule` has to fit it.
template <class To, class From>
config_rule<To> converted(config_rule<From> rule) {
  config_rule<To> result;
  result.type = rule.type;
  result.read = [rule](const config_value& value, To& out, config_report& report) {
    From wide{};
    if (!rule.read(value, wide, report))
      return false;
    out = static_cast<To>(wide);
    return true;
  };
  result.format = [rule](const To& value) { return rule.format(static_cast<From>(value)); };
  return result;
}

/// A count of things: an integer for a `size_t`.
inline config_rule<size_t> as_count(size_t min, size_t max) {
  return converted<size_t>(as_integer(static_cast<int64_t>(min), static_cast<int64_t>(max)));
}

/// Keeps "not written" apart from every value.
template <class T>
config_rule<std::optional<T>> as_optional(config_rule<T> rule) {
  config_rule<std::optional<T>> result;
  result.type = rule.type;
  result.keys = rule.keys;
  result.read = [rule](const config_value& value, std::optional<T>& out, config_report& report) {
    T plain{};
    if (!rule.read(value, plain, report))
      return false;
    out = std::move(plain);
    return true;
  };
  result.format = [rule](const std::optional<T>& value) {
    return value ? rule.format(*value) : std::string{};
  };
  return result;
}

/// An array whose elements obey `rule`; complains about each element that does not.
template <class T>
config_rule<std::vector<T>> as_list(config_rule<T> rule) {
  config_rule<std::vector<T>> result;
  result.type = "list of " + rule.type;
  result.keys = rule.keys;
  result.read = [rule](const config_value& value, std::vector<T>& out, config_report& report) {
    const auto* elements = value.as_array();
    if (!elements)
      return expected_other(value, "a list of " + rule.type, report);
    std::vector<T> list;
    bool good = true;
    for (const auto& element : *elements)
      good &= rule.read(element, list.emplace_back(), report);
    if (good)
      out = std::move(list);
    return good;
  };
  result.format = [rule](const std::vector<T>& list) {
    std::string text = "[";
    for (const auto& element : list)
      text += (text.size() > 1 ? ", " : "") + rule.format(element);
    return text + "]";
  };
  return result;
}

/// A list that may be written without brackets if it has one element.
template <class T>
config_rule<std::vector<T>> as_one_or_list(config_rule<T> rule) {
  auto result = as_list(rule);
  result.type = rule.type + " or list of them";
  result.read = [rule, list = result.read](const config_value& value, std::vector<T>& out,
                                           config_report& report) {
    if (value.as_array())
      return list(value, out, report);
    T single{};
    if (!rule.read(value, single, report))
      return false;
    out = {std::move(single)};
    return true;
  };
  return result;
}

} // namespace caf_app
