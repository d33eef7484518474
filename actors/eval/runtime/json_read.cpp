// Boost.JSON's parser does the syntax, the UTF-8 and the surrogates; the handler below builds our
// value, keeps the text of numbers, and finds duplicate names.
#include "caf_app/eval/json_text.hpp"

#include <algorithm>
#include <iterator>
#include <optional>

#include <boost/json/basic_parser_impl.hpp>

namespace caf_app::eval {

namespace {

namespace bj = boost::json;

/// @returns a name that occurs twice, if any
std::optional<std::string> duplicate_of(const json::object& members) {
  constexpr size_t small = 12;
  if (members.size() <= small) {
    for (size_t i = 1; i < members.size(); ++i)
      for (size_t j = 0; j < i; ++j)
        if (members[i].name == members[j].name)
          return members[i].name;
    return std::nullopt;
  }
  std::vector<std::string_view> names;
  names.reserve(members.size());
  for (auto& member : members)
    names.push_back(member.name);
  std::sort(names.begin(), names.end());
  auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice == names.end())
    return std::nullopt;
  return std::string{*twice};
}

/// Receives events and stacks values; a container takes its children when it ends.
class builder {
public:
  static constexpr std::size_t max_object_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_array_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_key_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_string_size = static_cast<std::size_t>(-1);

  bool on_document_begin(bj::error_code&) { return true; }
  bool on_document_end(bj::error_code&) { return true; }
  bool on_array_begin(bj::error_code&) { return true; }
  bool on_object_begin(bj::error_code&) { return true; }

  bool on_array_end(std::size_t n, bj::error_code&) {
    json::array items(std::make_move_iterator(values_.end() - static_cast<ptrdiff_t>(n)),
                      std::make_move_iterator(values_.end()));
    values_.resize(values_.size() - n);
    values_.emplace_back(std::move(items));
    return true;
  }

  bool on_object_end(std::size_t n, bj::error_code& ec) {
    json::object members;
    members.reserve(n);
    for (size_t i = 0; i < n; ++i)
      members.push_back(
          {std::move(keys_[keys_.size() - n + i]), std::move(values_[values_.size() - n + i])});
    keys_.resize(keys_.size() - n);
    values_.resize(values_.size() - n);
    if (duplicate = duplicate_of(members); duplicate) {
      ec = bj::error::syntax;
      return false;
    }
    values_.emplace_back(std::move(members));
    return true;
  }

  bool on_string_part(bj::string_view part, std::size_t, bj::error_code&) { return append(part); }
  bool on_string(bj::string_view part, std::size_t, bj::error_code&) {
    append(part);
    values_.emplace_back(std::exchange(partial_, {}));
    return true;
  }
  bool on_key_part(bj::string_view part, std::size_t, bj::error_code&) { return append(part); }
  bool on_key(bj::string_view part, std::size_t, bj::error_code&) {
    append(part);
    keys_.push_back(std::exchange(partial_, {}));
    return true;
  }
  bool on_number_part(bj::string_view part, bj::error_code&) { return append(part); }
  bool on_int64(std::int64_t, bj::string_view part, bj::error_code&) { return number(part); }
  bool on_uint64(std::uint64_t, bj::string_view part, bj::error_code&) { return number(part); }
  bool on_double(double, bj::string_view part, bj::error_code&) { return number(part); }
  bool on_bool(bool value, bj::error_code&) {
    values_.emplace_back(value);
    return true;
  }
  bool on_null(bj::error_code&) {
    values_.emplace_back();
    return true;
  }
  bool on_comment_part(bj::string_view, bj::error_code&) { return true; }
  bool on_comment(bj::string_view, bj::error_code&) { return true; }

  json take() { return std::move(values_.front()); }

  std::optional<std::string> duplicate; ///< set if that is why the parser stopped

private:
  bool append(bj::string_view part) {
    partial_.append(part.data(), part.size());
    return true;
  }
  bool number(bj::string_view part) {
    append(part);
    values_.emplace_back(json::number_text{std::exchange(partial_, {})});
    return true;
  }

  std::vector<json> values_;
  std::vector<std::string> keys_;
  std::string partial_;
};

std::string sentence_of(const bj::error_code& ec, size_t depth_max) {
  if (ec == bj::error::too_deep)
    return "nested deeper than " + std::to_string(depth_max);
  if (ec == bj::error::incomplete)
    return "the text ends too early";
  if (ec == bj::error::extra_data)
    return "something follows the value";
  return ec.message();
}

} // namespace

json_result read_json(std::string_view text, size_t depth_max) {
  bj::parse_options options;
  options.max_depth = std::min<size_t>(depth_max, 1024);
  bj::basic_parser<builder> parser{options};
  bj::error_code ec;
  auto used = parser.write_some(false, text.data(), text.size(), ec);
  if (!ec && used < text.size())
    ec = bj::error::extra_data;
  if (!ec)
    return parser.handler().take();
  if (auto& name = parser.handler().duplicate) {
    std::string text = "duplicate member ";
    write_json_string(text, *name);
    return json_fault{std::move(text), used};
  }
  return json_fault{sentence_of(ec, depth_max), used};
}

} // namespace caf_app::eval
