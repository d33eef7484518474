// The part of an HTTP/2 session that needs no frames: which streams have a place, what their owner
// is told, what is read away, and what abuse costs. An h2_wire feeds it and carries out what it
// wants.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "actors/http/h2_frame_scanner.hpp"
#include "actors/http/h2_session.hpp"
#include "actors/http/h2_stream.hpp"
#include "actors/http/h2_wire.hpp"

namespace caf_app::http {

/// One connection. One thread.
class h2_core {
public:
  h2_core(const h2_options& options, steady::time_point now)
      : options_(options), budget_(options.budget, now), now_(now) {}

  /// Has to be called before anything arrives.
  void connect(h2_wire& wire) { wire_ = &wire; }

  const h2_options& options() const noexcept { return options_; }

  /// Where the wire appends content; h2_session's output.
  std::string& output() noexcept { return output_; }

  void set_time(steady::time_point now) { now_ = now; }
  steady::time_point now() const noexcept { return now_; }

  /// @returns null if there is none, or it has been forgotten
  h2_stream* find(int32_t id);

  /// Streams that have a place, of h2_options::streams.
  size_t places() const noexcept { return streams_.size(); }

  // -- from the wire -----------------------------------------------------------------

  /// Any frame, when its head is whole and all before it was processed: pays for what it is.
  /// @returns false if it may not be processed: see spent(), overlong(), oversized(),
  /// out_of_order()
  bool admit(const h2_frame_head& frame);

  /// A new stream. @returns null if it has no place: it was reset
  h2_stream* open(int32_t id);

  /// The section of a request's head is whole. A malformed one is reset (RFC 9113 §8.1.1).
  /// @param ends END_STREAM came with it
  void on_head(h2_stream& stream, bool ends);

  /// The section of trailers is whole; they end the stream. Too many reset it.
  void on_trailers(h2_stream& stream);

  /// Content. What nobody wants gives its window back by itself, up to h2_options::discard_bytes.
  void on_data(h2_stream& stream, std::string_view bytes);

  /// END_STREAM has come.
  void on_peer_end(h2_stream& stream);

  /// The library forgets the stream. `stream` is gone afterwards if its owner has released it.
  void on_closed(h2_stream& stream, h2_code code);

  /// An RST_STREAM of ours went out: pays for it.
  void on_reset_sent(h2_code code);

  /// END_STREAM went out.
  void on_end_sent(h2_stream& stream);

  /// So many bytes of `stream.out` went out.
  void on_content_sent(h2_stream& stream, size_t bytes);
  void on_settings_acked() { settings_acked_ = true; }
  void on_shutdown_seen() { shutdown_seen_ = true; }
  void on_goaway_sent(h2_code code) { goaway_code_ = code; }

  /// After all bytes of a call: is a field section incomplete?
  void note_section(const h2_frame_scanner& scanner);

  /// Since when one is.
  std::optional<steady::time_point> section_since() const noexcept { return section_since_; }

  /// Pays for one event of a kind.
  void pay(h2_abuse kind);

  /// Gives credit for a response head.
  void earn_response() { budget_.earn(h2_abuse::window_updates, h2_window_updates_per_response); }

  // -- from the owner ------------------------------------------------------------------

  // As the functions of h2_session with these names.
  void consumed(h2_stream& stream, size_t bytes);
  void release(h2_stream& stream);
  void reset(h2_stream& stream, h2_code code);
  void take_events(std::vector<h2_event>& events);

  // -- time and abuse ---------------------------------------------------------------------

  /// The first time at which expire() has something to do.
  std::optional<steady::time_point> deadline() const;
  void expire();

  /// A budget is at three quarters: time for a graceful end.
  bool strained() const noexcept { return strained_; }

  /// A budget is: nothing that follows may be processed.
  bool spent() const noexcept { return abuse_.has_value(); }

  /// Whose budget it was.
  std::optional<h2_abuse> abuse() const noexcept { return abuse_; }

  /// A field section came in too many frames.
  bool overlong() const noexcept { return continuations_ > continuations_max; }

  /// A frame is longer than ours may be. nghttp2 lets that pass for CONTINUATION. RFC 9113 §4.2
  bool oversized() const noexcept { return oversized_; }

  /// A stream was opened that is older than one that was opened before. RFC 9113 §5.1.1
  bool out_of_order() const noexcept { return out_of_order_; }
  const std::array<uint64_t, h2_abuse_count>& counts() const noexcept { return counts_; }
  bool settings_acked() const noexcept { return settings_acked_; }
  bool shutdown_seen() const noexcept { return shutdown_seen_; }
  std::optional<h2_code> goaway_code() const noexcept { return goaway_code_; }

private:
  static constexpr size_t continuations_max = 8; // CVE-2024-27316

  void note_stream(uint32_t stream);
  h2_event& emit(h2_event::kind what, const h2_stream& stream);
  void read_away(h2_stream& stream);

  const h2_options& options_;
  h2_wire* wire_ = nullptr;
  h2_budget budget_;
  steady::time_point now_;
  std::unordered_map<int32_t, std::unique_ptr<h2_stream>> streams_;
  std::deque<std::pair<steady::time_point, int32_t>> read_away_until_; // oldest first
  std::vector<h2_event> events_;
  std::string output_;
  std::array<uint64_t, h2_abuse_count> counts_{};
  std::optional<h2_code> goaway_code_;
  bool settings_acked_ = false;
  bool shutdown_seen_ = false;
  std::optional<steady::time_point> section_since_;
  uint64_t sections_ = 0;                              // that have begun
  size_t continuations_ = 0;                           // of the section that is being received
  std::optional<h2_abuse> abuse_;                      // the first that was spent
  std::vector<std::pair<uint32_t, uint32_t>> skipped_; // numbers of streams that were left out
  uint32_t newest_ = 0;                                // stream of the client
  bool out_of_order_ = false;
  bool oversized_ = false;
  bool strained_ = false;
};

} // namespace caf_app::http
