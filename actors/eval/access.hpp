// Who may use the evaluator: bearer tokens and the organisations that they stand for.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace caf_app::eval {

/// What a request may see: an organisation, or everything if `organisation` is empty.
struct visitor {
  std::string organisation;
};

/// The tokens that are known. Immutable once it is made; any thread.
class access_list {
public:
  /// Nobody is asked for a token.
  access_list() = default;

  /// One token that is trusted with every organisation.
  static access_list trusted(std::string token);

  /// @param text lines `TOKEN ORGANISATION`; empty lines and those that begin with '#' are skipped
  /// @returns the list, or what is wrong and in which line (a token below limit::token_bytes_min or
  ///   given twice, no line at all); the message repeats no token
  static std::variant<access_list, std::string> read(std::string_view text);

  /// Compares with all tokens, so that the time it takes does not tell which one came close.
  /// @returns nothing if the token is missing or unknown
  std::optional<visitor> admit(std::string_view token) const;

private:
  std::map<std::string, std::string> organisations_; // by token; empty: all of them
};

/// The organisation that a request acts for: the wanted one, else the visitor's, else "public".
/// @param wanted of its binding; empty: none
/// @returns nothing if the visitor may not act for it
std::optional<std::string> organisation_of(const visitor& who, std::string_view wanted);

} // namespace caf_app::eval
