// A whole response in the content coding that its client prefers: which one, and what becomes of
// its fields. The body is compressed elsewhere: at once if it is small, else on a worker. RFC 9110
// §8.4, §8.8.3.3, §12.5.3, §12.5.5.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "actors/http/coding.hpp"
#include "actors/http/exchange.hpp"

namespace caf_app::http {

/// Copies of all that a response holds, so that it can wait. Also with other fields, as they are
/// for one coding.
class coded_response {
public:
  /// @param which identity: only Vary is added, if another client could get something else
  coded_response(const response& answer, coding which);

  coded_response(const coded_response&) = delete;
  coded_response& operator=(const coded_response&) = delete;

  coding which() const noexcept { return which_; }

  /// With `body` in the coding. Views this object.
  response with(std::string_view body) const noexcept {
    return {status_, type_, fields_, body, source_};
  }

private:
  void add(std::string_view name, std::string value);

  uint16_t status_;
  response_source source_;
  coding which_;
  std::string type_;
  std::vector<std::pair<std::string, std::string>> owned_;
  std::vector<field> fields_; // views of owned_
};

/// `answer` with Vary: Accept-Encoding among its fields.
/// @param lines what the fields of the result view
response with_vary(const response& answer, std::vector<field>& lines);

/// Whether the coding of `answer` depends on the client: text of a size that is worth it, not coded
/// already, not forbidden.
/// @param size of its content; nothing if that is not known yet
bool depends_on_client(const response& answer, std::optional<uint64_t> size);
inline bool depends_on_client(const response& answer) {
  return depends_on_client(answer, answer.body.size());
}

/// Whether `answer` is a part of what depends on the client as a whole.
bool is_part_of_codable(const response& answer);

/// The coding for a client that sent this Accept-Encoding, if the response depends on it.
coding coding_for(const response& answer, std::optional<uint64_t> size,
                  const std::optional<std::string>& accept_encoding);
inline coding coding_for(const response& answer,
                         const std::optional<std::string>& accept_encoding) {
  return coding_for(answer, answer.body.size(), accept_encoding);
}

} // namespace caf_app::http
