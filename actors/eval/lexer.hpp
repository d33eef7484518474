// Tokens of graph programs and signatures, with their places. Both languages read as C++ but know
// only names, a few marks and string literals; everything else is a fault of the lexer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace caf_app::eval {

/// A place in a text: lines and columns count from 1, columns in bytes.
struct text_place {
  uint32_t line = 1;
  uint32_t column = 1;

  bool operator==(const text_place&) const = default;
};

/// What is wrong with a text, and where.
struct text_fault {
  text_place place;
  std::string text; ///< a sentence without a full stop

  bool operator==(const text_fault&) const = default;
};

/// Ends a parser at its first fault; never leaves it.
struct text_stop {
  text_fault why;
};

struct token {
  enum class kind : uint8_t {
    name,   ///< [A-Za-z_][A-Za-z0-9_]*
    mark,   ///< one of ( ) < > , ; = & ::
    string, ///< `text` is what stands between the quotes; there are no escapes
    bad,    ///< `text` says what is wrong
    end
  };

  kind what = kind::end;
  std::string text;
  text_place place;

  bool is(kind k, std::string_view t) const { return what == k && text == t; }
  bool is_mark(std::string_view t) const { return is(kind::mark, t); }
  bool is_name(std::string_view t) const { return is(kind::name, t); }
};

/// Splits a text into tokens; the last one is `end`. Comments are skipped.
std::vector<token> tokens_of(std::string_view text);

/// Whether `name` is a keyword of C++20 (alternative tokens like `and` too).
bool is_keyword(std::string_view name);

/// Whether `text` has the form of an identifier (a keyword has it as well).
bool is_identifier(std::string_view text);

/// How a message shows a token.
std::string shown(const token& t);

} // namespace caf_app::eval
