#include "actors/eval/compiler_output.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "actors/eval/codegen.hpp"

namespace caf_app::eval {

namespace {

/// "file:line:column: kind: message"; line and column are 0 for what a tool says about itself.
struct output_line {
  std::string_view file;
  uint32_t line = 0;
  uint32_t column = 0;
  std::string_view kind; ///< error, warning, note
  std::string_view message;
};

std::optional<uint32_t> number_of(std::string_view text) {
  uint32_t value = 0;
  auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || ec != std::errc{} || end != text.data() + text.size())
    return std::nullopt;
  return value;
}

/// Takes ":number" off the end of a place.
uint32_t take_number(std::string_view& place) {
  const auto colon = place.rfind(':');
  if (colon == std::string_view::npos)
    return 0;
  const auto number = number_of(place.substr(colon + 1));
  if (number)
    place = place.substr(0, colon);
  return number.value_or(0);
}

std::optional<output_line> read_line(std::string_view text) {
  // The first of these words that stands between ": " and ": " ends the place.
  constexpr std::pair<std::string_view, std::string_view> kinds[] = {{": fatal error: ", "error"},
                                                                     {": error: ", "error"},
                                                                     {": warning: ", "warning"},
                                                                     {": note: ", "note"}};
  output_line result;
  auto first = std::string_view::npos;
  for (auto [mark, kind] : kinds)
    if (const auto at = text.find(mark); at < first) {
      first = at;
      result.kind = kind;
      result.message = text.substr(at + mark.size());
    }
  if (first == std::string_view::npos || first == 0 || text.front() == ' ')
    return std::nullopt;
  result.file = text.substr(0, first);
  const auto last = take_number(result.file);
  const auto before = take_number(result.file);
  result.line = before > 0 ? before : last;
  result.column = before > 0 ? last : 0;
  return result;
}

template <class Each>
void each_line(std::string_view text, Each each) {
  while (!text.empty()) {
    const auto end = text.find('\n');
    each(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
}

/// Drops `prefix` from the front if it is there.
bool strip(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix))
    return false;
  text.remove_prefix(prefix.size());
  return true;
}

class compiler_reader {
public:
  compiler_reader(const project& from, const output_folders& folders)
      : from_(from), folders_(folders) {}

  std::vector<diagnostic> run(std::string_view text) {
    each_line(text, [&](std::string_view line) {
      if (auto parsed = read_line(line))
        take(*parsed);
    });
    return std::move(list_);
  }

private:
  void take(const output_line& line) {
    if (line.kind == "note") {
      if (!list_.empty() && list_.back().hint.empty() && last_taken_)
        list_.back().hint = line.message;
      return;
    }
    diagnostic result;
    result.grade =
        line.kind == "error" ? diagnostic::severity::error : diagnostic::severity::warning;
    result.message = line.message;
    last_taken_ = place(line, result) && !is_known(result);
    if (last_taken_)
      list_.push_back(std::move(result));
  }

  /// A wrong signature makes several errors; the first says enough.
  bool is_known(const diagnostic& what) const {
    return what.where == diagnostic::scope::function &&
           std::any_of(list_.begin(), list_.end(), [&](auto& other) {
             return other.name == what.name && other.message == what.message;
           });
  }

  /// Says what a line is about. @returns false if the project is not to blame, nor told
  bool place(const output_line& line, diagnostic& to) const {
    auto file = line.file;
    if (strip(file, function_line_prefix)) {
      place_function(file, line, to);
      return true;
    }
    if (strip(file, graph_line_prefix)) {
      place_graph(file, line, to);
      return true;
    }
    if (strip(file, folders_.source + "/")) {
      to.where = diagnostic::scope::project;
      to.file = file;
      to.line = line.line;
      to.column = line.column;
      return true;
    }
    to.where = diagnostic::scope::driver;
    return to.grade == diagnostic::severity::error;
  }

  void place_function(std::string_view name, const output_line& line, diagnostic& to) const {
    to.where = diagnostic::scope::function;
    to.name = name;
    auto& function = from_.function(name);
    to.file = function.declared.header;
    take_assertion(to);
    if (line.line < signature_line)
      return;
    to.hint = to.message;
    to.message = "'" + function.declared.function + "' in " + function.declared.header +
                 " is no function of exactly the type " + function.type.text();
  }

  static void place_graph(std::string_view name, const output_line& line, diagnostic& to) {
    to.where = diagnostic::scope::graph;
    to.name = name;
    to.line = line.line;
    take_assertion(to);
    std::string_view text{to.message};
    if (!strip(text, column_mark))
      return;
    const auto blank = text.find(' ');
    to.column = number_of(text.substr(0, blank)).value_or(0);
    to.message = std::string{text.substr(std::min(blank, text.size() - 1) + 1)};
  }

  /// "static assertion failed: text" -> "text"
  static void take_assertion(diagnostic& to) {
    std::string_view text{to.message};
    if (strip(text, "static assertion failed: "))
      to.message = std::string{text};
  }

  const project& from_;
  const output_folders& folders_;
  std::vector<diagnostic> list_;
  bool last_taken_ = false;
};

/// The text between the first "`" and the last "'" of a linker's message.
std::string_view quoted(std::string_view text) {
  const auto start = text.find('`');
  const auto end = text.rfind('\'');
  if (start == std::string_view::npos || end == std::string_view::npos || end <= start)
    return {};
  return text.substr(start + 1, end - start - 1);
}

const project_function* function_of(std::string_view symbol, const project& from) {
  const auto name = symbol.substr(0, symbol.find('('));
  for (auto& function : from.functions)
    if (function.declared.function == name)
      return &function;
  return nullptr;
}

diagnostic undefined_symbol(std::string_view symbol, const project& from) {
  diagnostic result;
  if (auto function = function_of(symbol, from)) {
    result.where = diagnostic::scope::function;
    result.name = function->declared.name;
    result.file = function->declared.header;
    result.message =
        "declared in " + function->declared.header + " but not defined: " + std::string{symbol};
  } else {
    result.message = "not defined: " + std::string{symbol};
  }
  result.hint = "define it in a .cpp file of the source; every one is compiled";
  return result;
}

diagnostic defined_twice(std::string_view symbol) {
  diagnostic result;
  if (symbol == "main") {
    result.message = "the project defines main, which belongs to the driver";
    return result;
  }
  result.message = "defined more than once: " + std::string{symbol};
  result.hint = "a function that is defined in a header is declared inline";
  return result;
}

} // namespace

std::vector<diagnostic> read_compiler_output(std::string_view text, const project& from,
                                             const output_folders& folders) {
  return compiler_reader{from, folders}.run(text);
}

std::vector<diagnostic> read_linker_output(std::string_view text, const project& from) {
  std::vector<diagnostic> list;
  each_line(text, [&](std::string_view line) {
    if (line.find("undefined reference to `") != std::string_view::npos)
      merge(list, {undefined_symbol(quoted(line.substr(line.find("reference to `"))), from)});
    else if (const auto at = line.find("multiple definition of `"); at != std::string_view::npos)
      // "...: multiple definition of `main'; other.o:other.cpp:(.text+0x0): first defined here"
      merge(list, {defined_twice(quoted(line.substr(at, line.find("';") + 1 - at)))});
  });
  return list;
}

} // namespace caf_app::eval
