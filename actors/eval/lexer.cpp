#include "actors/eval/lexer.hpp"

#include <algorithm>

namespace caf_app::eval {

namespace {

constexpr std::string_view keywords[] = {"alignas",       "alignof",     "and",
                                         "and_eq",        "asm",         "auto",
                                         "bitand",        "bitor",       "bool",
                                         "break",         "case",        "catch",
                                         "char",          "char16_t",    "char32_t",
                                         "char8_t",       "class",       "co_await",
                                         "co_return",     "co_yield",    "compl",
                                         "concept",       "const",       "const_cast",
                                         "consteval",     "constexpr",   "constinit",
                                         "continue",      "decltype",    "default",
                                         "delete",        "do",          "double",
                                         "dynamic_cast",  "else",        "enum",
                                         "explicit",      "export",      "extern",
                                         "false",         "float",       "for",
                                         "friend",        "goto",        "if",
                                         "inline",        "int",         "long",
                                         "mutable",       "namespace",   "new",
                                         "noexcept",      "not",         "not_eq",
                                         "nullptr",       "operator",    "or",
                                         "or_eq",         "private",     "protected",
                                         "public",        "register",    "reinterpret_cast",
                                         "requires",      "return",      "short",
                                         "signed",        "sizeof",      "static",
                                         "static_assert", "static_cast", "struct",
                                         "switch",        "template",    "this",
                                         "thread_local",  "throw",       "true",
                                         "try",           "typedef",     "typeid",
                                         "typename",      "union",       "unsigned",
                                         "using",         "virtual",     "void",
                                         "volatile",      "wchar_t",     "while",
                                         "xor",           "xor_eq"};

constexpr std::string_view marks = "()<>,;=&";

bool starts_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

bool continues_name(char c) { return starts_name(c) || (c >= '0' && c <= '9'); }

class lexer {
public:
  explicit lexer(std::string_view text) : text_(text) {}

  token next() {
    token result;
    if (auto unclosed = skip_blanks()) {
      result.what = token::kind::bad;
      result.text = "a comment that does not end";
      result.place = *unclosed;
      return result;
    }
    result.place = place_;
    if (at_ == text_.size())
      return result;
    if (starts_name(text_[at_]))
      read_name(result);
    else if (text_[at_] == '"')
      read_string(result);
    else
      read_mark(result);
    return result;
  }

private:
  char peek(size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  void advance() {
    if (text_[at_++] == '\n') {
      ++place_.line;
      place_.column = 1;
    } else {
      ++place_.column;
    }
  }

  /// @returns where a comment starts that does not end
  std::optional<text_place> skip_blanks() {
    while (at_ < text_.size()) {
      if (std::string_view{" \t\r\n\v\f"}.find(peek()) != std::string_view::npos) {
        advance();
      } else if (peek() == '/' && peek(1) == '/') {
        while (at_ < text_.size() && peek() != '\n')
          advance();
      } else if (peek() == '/' && peek(1) == '*') {
        const auto start = place_;
        const auto end = text_.find("*/", at_ + 2);
        const auto stop = end == std::string_view::npos ? text_.size() : end + 2;
        while (at_ < stop)
          advance();
        if (end == std::string_view::npos)
          return start;
      } else {
        break;
      }
    }
    return std::nullopt;
  }

  void read_name(token& to) {
    to.what = token::kind::name;
    while (at_ < text_.size() && continues_name(peek())) {
      to.text += peek();
      advance();
    }
  }

  void read_string(token& to) {
    advance();
    while (at_ < text_.size() && peek() != '"' && peek() != '\n') {
      to.text += peek();
      advance();
    }
    if (peek() != '"') {
      to.what = token::kind::bad;
      to.text = "a string that does not end";
      return;
    }
    advance();
    to.what = token::kind::string;
  }

  void read_mark(token& to) {
    const auto c = peek();
    to.what = token::kind::mark;
    if (c == ':' && peek(1) == ':') {
      to.text = "::";
      advance();
      advance();
    } else {
      if (marks.find(c) == std::string_view::npos)
        to.what = token::kind::bad;
      to.text = to.what == token::kind::mark ? std::string{c} : name_of(c);
      advance();
    }
  }

  static std::string name_of(char c) {
    if (c > 0x20 && c < 0x7F)
      return std::string{"unexpected '"} + c + "'";
    return "an unexpected character, number " + std::to_string(static_cast<unsigned char>(c));
  }

  std::string_view text_;
  size_t at_ = 0;
  text_place place_;
};

} // namespace

std::vector<token> tokens_of(std::string_view text) {
  lexer source{text};
  std::vector<token> tokens;
  do
    tokens.push_back(source.next());
  while (tokens.back().what != token::kind::end);
  return tokens;
}

bool is_keyword(std::string_view name) {
  return std::find(std::begin(keywords), std::end(keywords), name) != std::end(keywords);
}

bool is_identifier(std::string_view text) {
  return !text.empty() && starts_name(text.front()) &&
         std::all_of(text.begin(), text.end(), continues_name);
}

std::string shown(const token& t) {
  switch (t.what) {
    case token::kind::name:
    case token::kind::mark: return "'" + t.text + "'";
    case token::kind::string: return "\"" + t.text + "\"";
    case token::kind::bad: return t.text;
    case token::kind::end: return "the end";
  }
  return {};
}

} // namespace caf_app::eval
