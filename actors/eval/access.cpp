#include "actors/eval/access.hpp"

#include "actors/eval/declaration.hpp"
#include "actors/eval/digest.hpp"
#include "actors/eval/eval_config.hpp"

namespace caf_app::eval {

namespace {

constexpr std::string_view blanks = " \t\r";
constexpr std::string_view default_organisation = "public";

std::string_view take_word(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
  const auto word = line.substr(0, line.find_first_of(blanks));
  line.remove_prefix(word.size());
  return word;
}

} // namespace

access_list access_list::trusted(std::string token) {
  access_list result;
  result.organisations_.emplace(std::move(token), "");
  return result;
}

std::variant<access_list, std::string> access_list::read(std::string_view text) {
  access_list result;
  for (size_t number = 1; !text.empty(); ++number) {
    const auto end = std::min(text.find('\n'), text.size());
    auto line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const auto token = take_word(line);
    if (token.empty() || token.starts_with('#'))
      continue;
    const auto organisation = take_word(line);
    const auto fault = [number](const char* expected) {
      return "line " + std::to_string(number) + ": expected " + expected;
    };
    if (token.size() < limit::token_bytes_min)
      return fault("a token of at least 16 bytes");
    if (!is_binding_name(organisation) || !take_word(line).empty())
      return fault("TOKEN ORGANISATION, the latter of letters, digits, - and _");
    if (!result.organisations_.emplace(token, organisation).second)
      return fault("each token once");
  }
  if (result.organisations_.empty())
    return std::string{"expected at least one line TOKEN ORGANISATION"};
  return result;
}

std::optional<visitor> access_list::admit(std::string_view token) const {
  if (organisations_.empty())
    return visitor{};
  // All of them, so that the time tells nothing about which one came close.
  const std::string* found = nullptr;
  for (auto& [known, organisation] : organisations_)
    if (same_digest(sha256_hex(known), sha256_hex(token)))
      found = &organisation;
  return found ? std::optional{visitor{*found}} : std::nullopt;
}

std::optional<std::string> organisation_of(const visitor& who, std::string_view wanted) {
  if (who.organisation.empty())
    return std::string{wanted.empty() ? default_organisation : wanted};
  if (!wanted.empty() && wanted != who.organisation)
    return std::nullopt;
  return who.organisation;
}

} // namespace caf_app::eval
