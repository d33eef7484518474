// A request of a cached route that is not answered at once: the cache stands between the exchange
// and the route's own handler, which sees it as its exchange.
//
//   begin -> passing                                   (the handler answers, the cache looks on)
//         -> waiting -> fetching                       (another request fetches the same)
//         -> fetching -> recorded, stored, sent on     (a new response)
//                     -> the stored response           (304, or an error that it may replace)
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "actors/http/cache_handler.hpp"
#include "actors/http/cache_status.hpp"
#include "actors/http/exchange_filter.hpp"
#include "actors/http/kept_request.hpp"
#include "caf_app/loop/timer_wheel.hpp"

namespace caf_app::http {

/// On the loop of its exchange.
class cache_task final : public exchange_task, private exchange_filter {
public:
  cache_task(const cache_handler& handler, exchange& open, const cache_request& wish,
             std::string_view key);
  ~cache_task() override;

  /// Looks on while the handler answers. @returns whether the exchange waits for an answer
  bool pass(forward_reason why);

  /// Fetches, validates `stored` if it is one, or waits for who does it already.
  /// @returns whether the exchange waits for an answer
  bool fetch(cache_entry_ptr stored, forward_reason why);

  /// The same without waiting, with the right to fetch in hand: a refresh.
  bool refresh(cache_entry_ptr stored, cache_fill fill);

  void on_body(std::span<const char> bytes) override;
  void on_body_end() override;
  void on_trailers(std::span<const owned_field> trailers) override;
  void on_room() override;
  bool invites() const override;
  bool works_on() const override;

private:
  // -- what the handler sees -----------------------------------------------------------
  const request_view& request() const override { return view_; }
  void respond(const response& answer) override;
  void respond(const fixed_response& answer) override;
  void refuse(fault why, std::span<const field> fields) override;
  void respond_status(uint16_t status, std::span<const field> fields) override;
  void respond(const response& head, std::vector<content_part> content) override;
  void begin(const response& head, std::optional<uint64_t> length) override;
  void write(std::string_view bytes) override;
  bool has_room() const override;
  void finish(std::span<const field> trailers) override;
  void abort() override;
  void inform(uint16_t status, std::span<const field> fields) override;
  void tunnel(std::span<const field> fields) override;

  // -- the cache ------------------------------------------------------------------------
  enum class phase : uint8_t { waiting, passing, fetching, over };

  bool start_handler();
  bool lead_or_follow();
  void resume(fill_outcome outcome);
  bool answer_if_usable();
  void answer(const cache_entry& entry, cache_result how, const cache_status& status);
  void note(cache_result how);
  cache_response response_of(const response& head, std::vector<field>& lines) const;
  bool take_head(const response& head, std::optional<uint64_t> length);
  void revalidated(const response& head);
  bool replace_error(uint16_t status);
  void note_effects(const response& head);
  void judge(const response& head, std::optional<uint64_t> length);
  void give_up_recording();
  void record(std::string_view bytes);
  cache_entry_ptr store_recorded();
  void end_fill(fill_outcome outcome);
  cache_status status_now() const;
  void forward(const response& head, const std::function<void(const response&)>& send);
  void begin_held();

  const cache_handler& handler_;
  const cache_service& service_;
  cache_request wish_;
  std::string key_;
  std::unique_ptr<kept_request> kept_; // set but for requests that pass
  request_view view_;                  // what the handler sees
  field_list fields_;                  // of view_ when it fetches
  std::unique_ptr<exchange_task> inner_;
  phase phase_ = phase::fetching;
  forward_reason why_ = forward_reason::none;
  bool body_ended_ = false;
  bool refreshes_ = false; // for nobody

  cache_entry_ptr stored_; // stale: validated if it can be, else replaced; null: none
  cache_fill fill_;        // empty: nobody waits for this
  uint64_t since_ = 0;     // of purges
  steady::time_point asked_at_;
  uint64_t ticket_ = 0; // of a follower
  steady::time_point give_up_at_ = steady::time_point::max();
  wheel_timer timer_;

  std::optional<cache_entry> recorded_; // what comes, as long as it may be stored
  std::string content_;
  std::optional<uint64_t> promised_;
  bool held_ = false; // sent only when it is whole, because a part of it is wanted
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

} // namespace caf_app::http
