// A JSON value that loses nothing: numbers keep their text, so 2^200 and 0.10 survive, and objects
// keep the order of their members, which is the order in which graph inputs are fed. Reading and
// writing are in json_text.hpp.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace caf_app::eval {

/// A value with all that is in it: copies are deep.
class json {
public:
  enum class kind : uint8_t { null, boolean, number, string, array, object };

  /// A number as it was written, a valid JSON number.
  struct number_text {
    std::string text;
  };

  struct member;
  using array = std::vector<json>;
  using object = std::vector<member>;

  json() noexcept = default;
  json(std::nullptr_t) noexcept {}
  json(std::same_as<bool> auto value) : data_(value) {}
  json(std::integral auto value) requires(!std::same_as<decltype(value), bool>)
      : data_(number_text{std::to_string(value)}) {}
  /// @throws std::domain_error for NaN and infinities, which JSON cannot write
  json(double value);
  json(std::string value) : data_(std::move(value)) {}
  json(std::string_view value) : data_(std::string{value}) {}
  json(const char* value) : data_(std::string{value}) {}
  json(number_text value) : data_(std::move(value)) {}
  json(array items) : data_(std::move(items)) {}
  json(object members);

  json(const json&);
  json(json&&) noexcept;
  json& operator=(const json&);
  json& operator=(json&&) noexcept;
  ~json();

  kind type() const noexcept { return static_cast<kind>(data_.index()); }
  bool is_null() const noexcept { return type() == kind::null; }

  /// The value if it has that type, else nullptr.
  const bool* if_bool() const noexcept { return std::get_if<bool>(&data_); }
  const std::string* if_string() const noexcept { return std::get_if<std::string>(&data_); }
  const array* if_array() const noexcept { return std::get_if<array>(&data_); }
  const object* if_object() const noexcept { return std::get_if<object>(&data_); }
  const std::string* if_number() const noexcept {
    auto number = std::get_if<number_text>(&data_);
    return number ? &number->text : nullptr;
  }
  array* if_array() noexcept { return std::get_if<array>(&data_); }
  object* if_object() noexcept { return std::get_if<object>(&data_); }

  /// The member `name` of an object, nullptr if there is none or this is no object.
  const json* find(std::string_view name) const noexcept;

  /// Appends a member to an object; null becomes an empty object first. The name must be new.
  /// @throws std::bad_variant_access for any other kind
  void add(std::string name, json value);

  /// How deep arrays and objects nest: 0 for a scalar, 1 for `[]`.
  size_t depth() const noexcept;

private:
  std::variant<std::monostate, bool, number_text, std::string, array, object> data_;
};

/// One entry of an object.
struct json::member {
  std::string name;
  json value;
};

/// Equality of JSON values: the order of members does not matter, numbers are equal if they are the
/// same decimal, however written (1 and 1.0, 0 and -0.0).
bool operator==(const json& left, const json& right);

/// What `json::type` says, as a word for error messages: "an array", "a string".
std::string_view article_of(const json& value);

} // namespace caf_app::eval
