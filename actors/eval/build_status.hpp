// The status object of a build, as clients see it and as the store keeps it.
//
//   queued -> fetching -> building -> ready | failed | cancelled
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "caf_app/eval/json.hpp"

namespace caf_app::eval {

/// How far a build is. Deleting an unfinished one makes it cancelled.
enum class build_state : uint8_t { queued, fetching, building, ready, failed, cancelled };

std::string_view to_string(build_state state);
std::optional<build_state> build_state_of(std::string_view name);

/// Whether a build in that state goes on by itself.
bool is_unfinished(build_state state);

struct build_status {
  std::string id;
  build_state state = build_state::queued;
  std::string organisation;        ///< that sees it; clients are not told
  json source;                     ///< as describe_source gives it
  json diagnostics{json::array{}}; ///< of diagnostic::to_json
  std::string error;               ///< empty: none
  int64_t created_ms = 0;          ///< Unix time
  std::optional<int64_t> took_ms;  ///< set once finished
  json description;                ///< of the driver, once ready
};

/// {id, state, source, diagnostics, error?, createdAt, tookMs} and, once ready, functions, graphs,
/// contract.
json to_json(const build_status& from);

/// What the store writes: the same and the organisation.
json to_record(const build_status& from);

/// Reads a record, nothing if it is not one.
std::optional<build_status> read_record(const json& from);

} // namespace caf_app::eval
