// What a request says to a file, taken from its fields; on demand with copies of its own, for the
// time after the request's head is gone.
#pragma once

#include <deque>
#include <string>

#include "actors/http/field_list.hpp"
#include "actors/http/static_plan.hpp"

namespace caf_app::http {

/// The value of a list field: its lines joined by commas. RFC 9110 §5.3
std::string joined(const field_list& fields, known_field id);

class file_request {
public:
  /// Views `fields`, except where lines of a repeated field are joined.
  file_request(method what, const field_list& fields);

  file_request(file_request&&) = delete;

  /// Copies everything it views.
  void keep();

  const static_request& view() const noexcept { return view_; }

  /// Neither conditional nor for a part.
  bool is_simple() const noexcept;

private:
  std::optional<std::string_view> read(const field_list& fields, known_field id);

  static_request view_;
  std::deque<std::string> owned_; // never moves its elements
};

} // namespace caf_app::http
