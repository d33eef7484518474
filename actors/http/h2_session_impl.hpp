// What an h2_session is made of, and what it decides after each piece of input: who is paid, what
// is sent at once, whether the connection ends. The calls of its owner are in h2_session_owner.cpp.
#pragma once

#include <optional>

#include "actors/http/h2_core.hpp"
#include "actors/http/h2_session.hpp"
#include "actors/http/h2_wire.hpp"

namespace caf_app::http {

constexpr size_t h2_output_target = 64 * 1024; ///< DATA is added up to here

struct h2_session::impl {
  impl(const h2_options& given, steady::time_point now)
      : options(given), core(options, now), wire(make_h2_wire(options, core)),
        settings_deadline(now + given.settings_timeout) {
    core.connect(*wire);
  }

  size_t queued() { return core.output().size() - offset; }
  h2_stream* writable(int32_t id);
  void resume(h2_stream& stream);
  void flush_control();
  bool feed(std::string_view piece);
  void settle();
  void shut_down();
  void end(h2_code code, fault reason);

  const h2_options options;
  h2_core core;
  h2_frame_scanner scanner;
  std::unique_ptr<h2_wire> wire;
  steady::time_point settings_deadline;
  std::optional<steady::time_point> last_goaway_at; // set between the two steps
  size_t offset = 0;                                // of what was not sent yet
  h2_block block;                                   // scratch
  fault why = fault::none;
  bool shutting_down = false;
  bool closing = false;
};

} // namespace caf_app::http
