// Turns the plan for a file into the calls of an exchange: what comes from memory, what from the
// file, and what has to be compressed first.
#pragma once

#include <optional>
#include <string_view>

#include "actors/http/exchange.hpp"
#include "actors/http/file_entry.hpp"
#include "actors/http/file_request.hpp"
#include "actors/http/http_config.hpp"

namespace caf_app::http {

/// What the route says about its answers.
struct file_answer_options {
  coding_mode codings = coding_mode::on_the_fly;
  std::optional<std::chrono::seconds> max_age;
  const header_list* headers = nullptr; ///< set unless the answer has them
  std::string_view server;              ///< for prepared responses
};

enum class file_step : uint8_t {
  answered,
  code,   ///< compress the file into file_entry::coded first, then call again
  reopen, ///< the file has changed since it was opened
};

struct file_result {
  file_step step = file_step::answered;
  coding wanted = coding::identity; ///< with `code`
};

/// Answers with the file or a part of it: 200, 206, 304, 406, 412, 416 (static_plan.hpp).
/// @param now what Date will say
/// @param last the entry was just opened: it is served even if it changes again
file_result answer_file(exchange& open, file_entry& entry, const static_request& request,
                        const file_answer_options& options, std::chrono::sys_seconds now,
                        bool last);

/// Answers from a response that was prepared earlier.
/// @returns whether there was one for this request
bool answer_simple(exchange& open, const file_entry& entry, const file_request& request);

/// Compresses all of `content`, which takes milliseconds: above limits::http::coding_inline_bytes
/// on a worker.
/// @returns null if the coder failed
shared_content compress(coding which, std::string_view content);

} // namespace caf_app::http
