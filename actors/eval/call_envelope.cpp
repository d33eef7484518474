#include "actors/eval/call_envelope.hpp"

#include <algorithm>
#include <optional>

#include "actors/eval/declaration.hpp"
#include "caf_app/eval/json_text.hpp"

namespace caf_app::eval {

namespace {

constexpr size_t domains_max = 256;
constexpr std::string_view known_effects[] = {"trace", "error", "http", "filesystem"};

/// Walks over the text of JSON values without reading them.
class scanner {
public:
  explicit scanner(std::string_view text) : text_(text) {}

  bool take(char c) {
    skip_blanks();
    if (at_ >= text_.size() || text_[at_] != c)
      return false;
    ++at_;
    return true;
  }

  /// A string with its quotes; empty if there is none.
  std::string_view take_string() {
    skip_blanks();
    const auto begin = at_;
    return skip_string() ? text_.substr(begin, at_ - begin) : std::string_view{};
  }

  /// Any value; empty if there is none.
  std::string_view take_value() {
    skip_blanks();
    const auto begin = at_;
    size_t depth = 0;
    while (at_ < text_.size()) {
      const auto c = text_[at_];
      if (c == '"') {
        if (!skip_string())
          return {};
        continue;
      }
      if (c == '{' || c == '[')
        ++depth;
      else if ((c == '}' || c == ']' || c == ',') && depth == 0)
        break;
      else if (c == '}' || c == ']')
        --depth;
      ++at_;
    }
    return text_.substr(begin, at_ - begin);
  }

private:
  void skip_blanks() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }

  bool skip_string() {
    if (at_ >= text_.size() || text_[at_] != '"')
      return false;
    for (++at_;; at_ += 2) {
      at_ = text_.find_first_of("\"\\", at_);
      if (at_ == std::string_view::npos) {
        at_ = text_.size();
        return false;
      }
      if (text_[at_] == '"')
        break;
    }
    ++at_;
    return true;
  }

  std::string_view text_;
  size_t at_ = 0;
};

bool is_named(std::string_view quoted, std::string_view name) {
  if (quoted.find('\\') == std::string_view::npos)
    return quoted.size() == name.size() + 2 && quoted.substr(1, name.size()) == name;
  const auto value = read_json(quoted);
  const auto* text = std::get_if<json>(&value);
  return text && text->if_string() && *text->if_string() == name;
}

std::string lower(std::string text) {
  for (auto& c : text)
    if (c >= 'A' && c <= 'Z')
      c = static_cast<char>(c - 'A' + 'a');
  return text;
}

using fault = std::optional<std::string>;

fault read_name(const json& binding, const char* member, std::string& to, bool required) {
  const auto* value = binding.find(member);
  if (!required && (!value || value->is_null()))
    return std::nullopt;
  const auto* text = value ? value->if_string() : nullptr;
  if (!text || !is_binding_name(*text))
    return std::string{"binding."} + member + ": expected letters, digits, - and _";
  to = *text;
  return std::nullopt;
}

fault read_binding(const json& binding, call_envelope& to) {
  if (!binding.if_object())
    return "binding: expected an object, found " + std::string{article_of(binding)};
  if (auto wrong = read_name(binding, "org_id", to.organisation, true))
    return wrong;
  if (auto wrong = read_name(binding, "user_id", to.user, true))
    return wrong;
  if (auto wrong = read_name(binding, "graph_id", to.graph_id, false))
    return wrong;
  to.identity = R"({"org_id":")" + to.organisation + R"(","user_id":")" + to.user + '"';
  if (!to.graph_id.empty())
    to.identity += R"(,"graph_id":")" + to.graph_id + '"';
  to.identity += '}';
  return std::nullopt;
}

fault read_words(const json& policy, const char* member, std::vector<std::string>& to) {
  const auto* value = policy.find(member);
  if (!value)
    return std::nullopt;
  const auto expected = std::string{"policy."} + member + ": expected an array of strings";
  if (!value->if_array())
    return expected;
  for (auto& item : *value->if_array()) {
    if (!item.if_string())
      return expected;
    to.push_back(lower(*item.if_string()));
  }
  return std::nullopt;
}

fault read_policy(const json& policy, call_envelope& to) {
  if (!policy.if_object())
    return "policy: expected an object, found " + std::string{article_of(policy)};
  if (auto wrong = read_words(policy, "effects", to.effects))
    return wrong;
  for (auto& word : to.effects)
    if (std::find(std::begin(known_effects), std::end(known_effects), word) ==
        std::end(known_effects))
      return "policy.effects: \"" + word +
             "\" is none of \"Trace\", \"Error\", \"HTTP\" and \"FileSystem\"";
  if (auto wrong = read_words(policy, "domains", to.domains))
    return wrong;
  if (to.domains.size() > domains_max)
    return "policy.domains: more than " + std::to_string(domains_max) + " entries";
  if (to.organisation.empty())
    return std::string{"policy: needs a binding beside it"};
  return std::nullopt;
}

/// Reads a member that is there. @returns what is wrong with its text
fault parse(std::string_view text, const char* name, json& to) {
  auto value = read_json(text);
  if (auto wrong = std::get_if<json_fault>(&value))
    return std::string{name} + ": " + wrong->text;
  to = std::get<json>(std::move(value));
  return std::nullopt;
}

} // namespace

std::string_view find_member(std::string_view text, std::string_view name) {
  scanner from{text};
  if (!from.take('{'))
    return {};
  do {
    const auto key = from.take_string();
    if (key.empty() || !from.take(':'))
      return {};
    const auto value = from.take_value();
    if (is_named(key, name))
      return value;
  } while (from.take(','));
  return {};
}

std::variant<call_envelope, std::string> read_envelope(std::string_view body) {
  call_envelope result;
  json value;
  if (const auto text = find_member(body, "binding"); !text.empty()) {
    if (auto wrong = parse(text, "binding", value))
      return std::move(*wrong);
    if (!value.is_null())
      if (auto wrong = read_binding(value, result))
        return std::move(*wrong);
  }
  if (const auto text = find_member(body, "policy"); !text.empty()) {
    if (auto wrong = parse(text, "policy", value))
      return std::move(*wrong);
    if (auto wrong = read_policy(value, result))
      return std::move(*wrong);
  }
  return result;
}

} // namespace caf_app::eval
