#include "actors/eval/program.hpp"

#include <algorithm>

namespace caf_app::eval {

namespace {

using kind = token::kind;

std::string with_colons(std::string_view dotted) {
  std::string result;
  for (auto c : dotted)
    result += c == '.' ? std::string{"::"} : std::string{c};
  return result;
}

std::string counted(size_t n, std::string_view noun) {
  return std::to_string(n) + " " + std::string{noun} + (n == 1 ? "" : "s");
}

class parser {
public:
  parser(const std::vector<token>& tokens, const program_scope& scope)
      : tokens_(tokens), scope_(scope) {}

  program_result run() {
    while (peek().what != kind::end) {
      defining_.clear();
      try {
        statement();
      } catch (text_stop& s) {
        faults_.push_back(std::move(s.why));
        if (!defining_.empty()) // known from here on: its readers shall not add faults
          variables_.emplace(defining_, 0);
        skip_statement();
      }
    }
    if (!returned_)
      faults_.push_back({peek().place, "the program ends without 'return EXPR;'"});
    if (!faults_.empty())
      return std::move(faults_);
    return std::move(program_);
  }

private:
  const token& peek(size_t ahead = 0) const {
    return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
  }

  const token& take() {
    const auto& t = peek();
    if (t.what != kind::end)
      ++at_;
    return t;
  }

  [[noreturn]] static void fail(const token& at, std::string text) {
    throw text_stop{{at.place, std::move(text)}};
  }

  [[noreturn]] void fail_expected(const std::string& what) const {
    if (peek().what == kind::bad)
      fail(peek(), peek().text);
    fail(peek(), "expected " + what + ", got " + shown(peek()));
  }

  void expect(std::string_view mark) {
    if (!peek().is_mark(mark))
      fail_expected("'" + std::string{mark} + "'");
    take();
  }

  void skip_statement() {
    while (peek().what != kind::end && !peek().is_mark(";"))
      ++at_;
    if (peek().is_mark(";"))
      ++at_;
  }

  void statement() {
    if (returned_)
      fail(peek(), "nothing may follow 'return'");
    if (peek().is_name("return")) {
      take();
      program_.result_place = peek().place;
      returned_ = true; // even if the expression is wrong: one fault a statement
      program_.result = expression(0);
      expect(";");
    } else if (peek().is_name("auto")) {
      take();
      definition();
    } else {
      fail_expected("'auto NAME = EXPR;' or 'return EXPR;'");
    }
  }

  void definition() {
    if (peek().what != kind::name)
      fail_expected("a name");
    const auto& name = take();
    if (is_keyword(name.text) || name.text == "input")
      fail(name, "'" + name.text + "' is no name");
    if (variables_.contains(name.text))
      fail(name, "'" + name.text + "' is defined twice");
    defining_ = name.text;
    expect("=");
    const auto node = expression(0);
    expect(";");
    variables_.emplace(name.text, node);
  }

  /// @returns the id of the node
  size_t expression(size_t depth) {
    if (depth > expression_depth_max)
      fail(peek(), "expressions nest deeper than " + std::to_string(expression_depth_max));
    if (peek().what != kind::name)
      fail_expected("an expression");
    if (peek().text == "input" && peek(1).is_mark("<"))
      return input();
    if (peek(1).is_mark("::") || peek(1).is_mark("("))
      return application(depth);
    return reference();
  }

  size_t reference() {
    const auto& name = take();
    auto known = variables_.find(name.text);
    if (known == variables_.end())
      fail(name, is_keyword(name.text) ? "'" + name.text + "' is no expression"
                                       : "unknown name '" + name.text + "'");
    return known->second;
  }

  size_t input() {
    program_node node;
    node.place = take().place;
    take(); // <
    const auto& type_start = peek();
    auto type = parse_type(tokens_, at_);
    if (auto fault = std::get_if<text_fault>(&type))
      throw text_stop{std::move(*fault)};
    node.type = std::get<type_ref>(std::move(type));
    check_known(node.type, type_start);
    expect(">");
    expect("(");
    if (peek().what != kind::string)
      fail_expected("the input's name in quotes");
    const auto& name = take();
    if (!is_identifier(name.text) || is_keyword(name.text))
      fail(name, "an input's name is an identifier, got " + shown(name));
    expect(")");
    for (auto& other : program_.nodes)
      if (other.input == name.text)
        fail(name, "input " + shown(name) + " appears twice, first in line " +
                       std::to_string(other.place.line));
    node.input = name.text;
    program_.nodes.push_back(std::move(node));
    return program_.nodes.size() - 1;
  }

  void check_known(const type_ref& type, const token& at) const {
    std::set<std::string> names;
    type.collect_project_types(names);
    for (auto& name : names)
      if (!scope_.project_types.contains(name))
        fail(at, "no declared signature names the type '" + name + "'");
  }

  size_t application(size_t depth) {
    program_node node;
    const auto& start = peek();
    node.place = start.place;
    node.function = function_name();
    const auto arity = scope_.arities.find(node.function);
    if (arity == scope_.arities.end())
      fail(start, "unknown function '" + with_colons(node.function) + "'");
    expect("(");
    while (!peek().is_mark(")")) {
      if (!node.arguments.empty())
        expect(",");
      node.argument_places.push_back(peek().place);
      node.arguments.push_back(expression(depth + 1));
    }
    take();
    if (arity->second != any_arity && node.arguments.size() != arity->second)
      fail(start, "'" + with_colons(node.function) + "' takes " +
                      counted(arity->second, "argument") + ", got " +
                      std::to_string(node.arguments.size()));
    program_.nodes.push_back(std::move(node));
    return program_.nodes.size() - 1;
  }

  std::string function_name() {
    std::string name;
    for (;;) {
      if (peek().what != kind::name)
        fail_expected("the name of a function");
      if (is_keyword(peek().text))
        fail(peek(), "'" + peek().text + "' is no name");
      name += take().text;
      if (!peek().is_mark("::"))
        return name;
      take();
      name += '.';
    }
  }

  const std::vector<token>& tokens_;
  const program_scope& scope_;
  size_t at_ = 0;
  std::map<std::string, size_t, std::less<>> variables_; // NAME -> node
  std::string defining_;                                 // the NAME of this statement
  std::vector<text_fault> faults_;
  program program_;
  bool returned_ = false;
};

} // namespace

program_result parse_program(std::string_view text, const program_scope& scope) {
  if (text.size() > program_bytes_max)
    return std::vector<text_fault>{
        {{}, "longer than " + std::to_string(program_bytes_max) + " bytes"}};
  const auto tokens = tokens_of(text);
  return parser{tokens, scope}.run();
}

} // namespace caf_app::eval
