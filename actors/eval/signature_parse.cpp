// The grammar of types and signatures, by recursive descent; declared in signature.hpp.
#include "actors/eval/signature.hpp"

#include <algorithm>

namespace caf_app::eval {

namespace {

using kind = token::kind;

constexpr std::string_view own_types[] = {"nat", "integer", "json", "unit"};
constexpr std::string_view plain_types[] = {"bool", "double"};
constexpr std::string_view std_types[] = {"std::int64_t", "std::string"};
constexpr std::string_view effect_tags[] = {"trace", "error", "http", "files"};

template <class Range>
bool has(const Range& range, std::string_view name) {
  return std::find(std::begin(range), std::end(range), name) != std::end(range);
}

text_fault fault_at(const token& at, std::string text) { return {at.place, std::move(text)}; }

/// Thrown inside this file only, so that the grammar below reads like one.
class reader {
public:
  reader(const std::vector<token>& tokens, size_t at) : tokens_(tokens), at_(at) {}

  size_t at() const { return at_; }

  type_ref type(size_t depth = 0) {
    const auto& start = peek();
    if (depth > type_depth_max)
      throw text_stop{fault_at(start, "types nest deeper than " + std::to_string(type_depth_max))};
    type_ref result;
    result.name = qualified_name();
    if (result.name == "std::vector" || result.name == "std::optional") {
      expect("<");
      result.arguments.push_back(type(depth + 1));
      expect(">");
    } else if (result.name == "std::map") {
      expect("<");
      result.arguments.push_back(type(depth + 1));
      if (result.arguments.front().name != "std::string")
        throw text_stop{fault_at(start, "the keys of a map that crosses are std::string")};
      expect(",");
      result.arguments.push_back(type(depth + 1));
      expect(">");
    } else {
      classify(result, start);
    }
    return result;
  }

  signature whole_signature() {
    signature result;
    read_result(result);
    expect("(");
    std::vector<type_ref> parameters;
    const token* clock = nullptr;
    bool first = true;
    while (!peek().is_mark(")")) {
      if (!first)
        expect(",");
      read_parameter(result, first, parameters, clock);
      first = false;
    }
    const auto& close = peek();
    expect(")");
    if (peek().what != kind::end)
      throw text_stop{unexpected("the end of the signature")};
    finish(result, std::move(parameters), clock, close);
    return result;
  }

  void expect_end() {
    if (peek().what != kind::end)
      throw text_stop{unexpected("the end of the type")};
  }

private:
  const token& peek(size_t ahead = 0) const {
    return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
  }

  text_fault unexpected(const std::string& what) const {
    return fault_at(peek(), "expected " + what + ", got " + shown(peek()));
  }

  void expect(std::string_view mark) {
    if (!peek().is_mark(mark))
      throw text_stop{unexpected("'" + std::string{mark} + "'")};
    ++at_;
  }

  /// Reads `a::b::c`; our own namespace in front is left out.
  std::string qualified_name() {
    if (peek().is_mark("::"))
      ++at_;
    std::string name;
    for (;;) {
      if (peek().is_name("const") || peek().is_name("volatile"))
        throw text_stop{fault_at(peek(), "values cross by value: leave '" + peek().text + "' out")};
      if (peek().what != kind::name || (is_keyword(peek().text) && !has(plain_types, peek().text)))
        throw text_stop{unexpected("a type")};
      name += peek().text;
      ++at_;
      if (!peek().is_mark("::"))
        break;
      ++at_;
      name += "::";
    }
    if (constexpr std::string_view own = "caf_app::eval::"; name.starts_with(own))
      name.erase(0, own.size());
    return name;
  }

  /// Says what a name without template arguments is.
  void classify(type_ref& type, const token& start) const {
    if (type.name == "int64_t")
      type.name = "std::int64_t";
    if (has(own_types, type.name) || has(plain_types, type.name) || has(std_types, type.name)) {
      if (peek().is_mark("<"))
        throw text_stop{unexpected("a type without arguments")};
      return;
    }
    if (peek().is_mark("<"))
      throw text_stop{fault_at(start, "'" + type.name +
                                          "' is no template that crosses: there are "
                                          "std::vector, std::optional and std::map")};
    if (type.name.starts_with("std::"))
      throw text_stop{fault_at(start, "'" + type.name + "' does not cross")};
    for (auto reserved : {"effects", "outcome", "produced", "clock_ms", "void"})
      if (type.name == reserved)
        throw text_stop{fault_at(start, "'" + type.name + "' is not a value")};
    type.of_project = true;
  }

  bool accept_wrapper(std::string_view name) {
    size_t ahead = peek().is_mark("::") ? 1 : 0;
    if (peek(ahead).is_name("caf_app") && peek(ahead + 1).is_mark("::") &&
        peek(ahead + 2).is_name("eval") && peek(ahead + 3).is_mark("::"))
      ahead += 4;
    if (!peek(ahead).is_name(name) || peek(ahead + 1).is_mark("::"))
      return false;
    at_ += ahead + 1;
    return true;
  }

  void read_result(signature& to) {
    if (accept_wrapper("outcome")) {
      to.result = signature::result_kind::outcome;
      expect("<");
      to.value = type();
      expect(">");
    } else if (accept_wrapper("produced")) {
      to.result = signature::result_kind::produced;
      expect("<");
      to.value = type();
      expect(",");
      to.continuation = type();
      expect(">");
    } else {
      to.value = type();
    }
  }

  void read_parameter(signature& to, bool first, std::vector<type_ref>& parameters,
                      const token*& clock) {
    const auto& start = peek();
    if (accept_wrapper("effects")) {
      if (!first)
        throw text_stop{fault_at(start, "effects are the first parameter")};
      read_effects(to);
    } else if (accept_wrapper("clock_ms")) {
      if (clock)
        throw text_stop{fault_at(start, "a second clock_ms")};
      clock = &start;
      clock_index_ = parameters.size();
    } else {
      parameters.push_back(type());
    }
    if (peek().is_mark("&"))
      throw text_stop{fault_at(peek(), "values cross by value: leave '&' out")};
  }

  void read_effects(signature& to) {
    to.takes_effects = true;
    expect("<");
    while (!peek().is_mark(">")) {
      if (!to.effects.empty())
        expect(",");
      const auto& start = peek();
      auto tag = qualified_name();
      if (!has(effect_tags, tag))
        throw text_stop{fault_at(start, "unknown effect '" + tag +
                                            "': there are trace, error, http and files")};
      if (has(to.effects, tag))
        throw text_stop{fault_at(start, "effect '" + tag + "' twice")};
      to.effects.push_back(std::move(tag));
    }
    expect(">");
    expect("&");
  }

  /// Takes the clock and the continuation of a producer off its parameters.
  void finish(signature& to, std::vector<type_ref> parameters, const token* clock,
              const token& close) const {
    if (!to.is_producer()) {
      if (clock)
        throw text_stop{fault_at(*clock, "only a producer takes clock_ms")};
    } else {
      auto resume = type_ref{"std::optional", {*to.continuation}, false};
      if (!clock || clock_index_ + 1 != parameters.size() || parameters.back() != resume)
        throw text_stop{
            fault_at(clock ? *clock : close,
                     "the last parameters of a producer are clock_ms and " + resume.text())};
      parameters.pop_back();
    }
    to.arguments = std::move(parameters);
  }

  const std::vector<token>& tokens_;
  size_t at_;
  size_t clock_index_ = 0; // of clock_ms among the parameters
};

} // namespace

std::variant<type_ref, text_fault> parse_type(const std::vector<token>& tokens, size_t& at) {
  try {
    reader source{tokens, at};
    auto result = source.type();
    at = source.at();
    return result;
  } catch (text_stop& s) {
    return std::move(s.why);
  }
}

std::variant<type_ref, text_fault> parse_type(std::string_view text) {
  const auto tokens = tokens_of(text);
  try {
    reader source{tokens, 0};
    auto result = source.type();
    source.expect_end();
    return result;
  } catch (text_stop& s) {
    return std::move(s.why);
  }
}

std::variant<signature, text_fault> parse_signature(std::string_view text) {
  if (text.size() > signature_bytes_max)
    return text_fault{{}, "longer than " + std::to_string(signature_bytes_max) + " bytes"};
  if (text.find_first_of("\r\n") != std::string_view::npos)
    return text_fault{{}, "a signature is one line"};
  const auto tokens = tokens_of(text);
  try {
    return reader{tokens, 0}.whole_signature();
  } catch (text_stop& s) {
    return std::move(s.why);
  }
}

} // namespace caf_app::eval
