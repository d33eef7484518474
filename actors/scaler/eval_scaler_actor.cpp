#include "actors/scaler/eval_scaler_actor.hpp"

#include <boost/json.hpp>

#include "actors/scaler/scaler_options.hpp"
#include "caf_app/messages/json.hpp"

namespace caf_app::scaler {

namespace json = boost::json;

namespace {

class scaling {
public:
  scaling(app_actor* self, const eval_scaler_options& options) : self_(self), options_(options) {
    options_.brain.speaker = speaker_of(self);
  }

  std::chrono::milliseconds period() const { return board().options().period; }

  /// @param state keeps this alive
  void look(const std::shared_ptr<scaling>& state) {
    const auto keeper = options_.keeper();
    if (!keeper)
      return;
    self_->ask(keeper, answer_time, json_request{"look", "null"})
        .then(
            [state, keeper](const json_reply& text) {
              const auto now = state->options_.now();
              if (const auto report = parse_eval_report(text.value, now))
                state->take(*report, keeper, now);
            },
            [](caf::error&) {}); // its node is gone, or it restarts
  }

private:
  scaler_board& board() const { return *options_.brain.board; }

  void take(const eval_report& report, const caf::actor& keeper, steady::time_point now) {
    if (report.workers.max == 0)
      return; // the keeper has not measured yet: not even how many there are is known
    const auto set = board().options();
    const auto owner = options_.owns(caf::actor{self_});
    if (report.sample)
      options_.tell(load_of(report, set), now);
    if (set.eval.enabled) {
      if (!brain_)
        brain_ = std::make_unique<eval_brain>(options_.brain, now);
      if (const auto count = brain_->step(report, owner, now))
        order(keeper, "workers", std::to_string(*count));
      released_ = false;
    } else {
      brain_.reset();
      board().show(fixed_state(options_.brain.target, report), {});
      if (owner && !std::exchange(released_, true))
        order(keeper, "workers", "null");
    }
    if (owner)
      show(keeper);
  }

  /// What becomes of it, the next look shows.
  void order(const caf::actor& keeper, const std::string& method, const std::string& params) {
    self_->ask(keeper, answer_time, json_request{method, params})
        .then([](const json_reply&) {}, [](caf::error&) {});
  }

  /// So that the node of the evaluator can be asked too.
  void show(const caf::actor& keeper) {
    json::array lines;
    for (const auto& line : board().decisions_since(shown_))
      lines.emplace_back(line);
    const json::object shown{{"state", board().state()}, {"lines", std::move(lines)}};
    order(keeper, "show", json::serialize(shown));
  }

  app_actor* self_;
  eval_scaler_options options_;
  std::unique_ptr<eval_brain> brain_; // null while it is off
  bool released_ = false;             // the evaluator has as many as its own section says
  uint64_t shown_ = 0;                // lines of the board's log so far
};

} // namespace

caf::behavior eval_scaler_actor(named_actor<"scaler.eval">* self,
                                const eval_scaler_options& options) {
  const auto state = std::make_shared<scaling>(self, options);
  self->send(self, caf::tick_atom_v);
  return {[self, state](caf::tick_atom) {
    state->look(state);
    self->delayed_send(self, state->period(), caf::tick_atom_v);
  }};
}

} // namespace caf_app::scaler
