// Types and signatures as a declaration writes them: `outcome<nat>(effects<error>&, geo::point)`.
// Only the grammar is checked here; whether a project's type exists and crosses is the compiler's
// part (codegen).
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "actors/eval/lexer.hpp"

namespace caf_app::eval {

/// A type that may cross: a built-in one, a composition, or a project's own.
struct type_ref {
  std::string name; ///< canonical: "nat", "std::vector", "geo::point"
  std::vector<type_ref> arguments;
  bool of_project = false;

  /// Canonical, without blanks: "std::map<std::string,nat>".
  std::string text() const;

  /// For generated code: every name qualified from the global namespace.
  std::string cpp() const;

  /// Adds the names of the project's types in here.
  void collect_project_types(std::set<std::string>& to) const;

  bool operator==(const type_ref&) const = default;
};

/// The type of a declared function, taken apart.
struct signature {
  /// T, outcome<T>, or produced<T, C>: then it is a producer.
  enum class result_kind : uint8_t { plain, outcome, produced };

  result_kind result = result_kind::plain;
  type_ref value;                       ///< what a node that applies the function holds
  std::optional<type_ref> continuation; ///< set if the function is a producer
  std::vector<std::string> effects;     ///< tags in order; see `takes_effects`
  bool takes_effects = false;
  std::vector<type_ref> arguments; ///< without effects, clock and continuation

  bool is_producer() const noexcept { return result == result_kind::produced; }

  /// The function type for generated code.
  std::string cpp() const;

  /// Canonical, without blanks.
  std::string text() const;

  /// The names of the project's types in it.
  std::set<std::string> project_types() const;
};

/// Signatures are at most that long, in bytes.
inline constexpr size_t signature_bytes_max = 4096;

/// Types nest at most that deep.
inline constexpr size_t type_depth_max = 32;

/// @returns the first fault, if there is one
std::variant<type_ref, text_fault> parse_type(std::string_view text);
std::variant<signature, text_fault> parse_signature(std::string_view text);

/// Reads a type from `tokens` at `at`, which moves past it; for other parsers.
std::variant<type_ref, text_fault> parse_type(const std::vector<token>& tokens, size_t& at);

} // namespace caf_app::eval
