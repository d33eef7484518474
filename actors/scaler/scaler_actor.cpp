#include "actors/scaler/scaler_actor.hpp"

#include <caf/send.hpp>

#include "actors/scaler/scaler_options.hpp"
#include "caf_app/messages/json.hpp"

namespace caf_app::scaler {

namespace {

scaler_brain_options brain_of(app_actor* self, const scaler_actor_options& options) {
  auto result = options.brain;
  result.speaker = speaker_of(self);
  return result;
}

} // namespace

// A decision follows the sample that it is made of at once. The clock is for when none comes.
caf::behavior scaler_actor(named_actor<"scaler">* self, const scaler_actor_options& options) {
  const auto brain = std::make_shared<scaler_brain>(brain_of(self, options));
  const auto generation = std::make_shared<uint64_t>(0);
  const auto step = [self, brain, generation, owns = options.owns] {
    brain->step(owns(caf::actor{self}));
    self->delayed_send(self, 2 * brain->period(), ++*generation);
  };
  options.brain.fleet->on_news([weak = caf::weak_actor_ptr{self->ctrl()}] {
    if (const auto strong = weak.lock())
      caf::anon_send(caf::actor_cast<caf::actor>(strong), caf::tick_atom_v);
  });
  self->send(self, caf::tick_atom_v);
  return {[step](caf::tick_atom) { step(); },
          [step, generation](uint64_t of) {
            if (of == *generation)
              step();
          }};
}

// Whoever gets the name begins anew: with the instances that it finds, and without a shrink for a
// quiet window.
caf::behavior remote_scaler_actor(named_actor<"scaler">* self, const remote_scaler_options& given) {
  const auto options = std::make_shared<const remote_scaler_options>(given);
  const auto brain = std::make_shared<std::unique_ptr<scaler_brain>>();
  const auto look = [self, brain, options] {
    if (!options->scaler.owns(caf::actor{self})) {
      brain->reset();
      return;
    }
    const auto keeper = options->keeper();
    if (!keeper)
      return;
    options->fleet->speak_through([self, keeper](const json_request& order) {
      self->ask(keeper, answer_time, order)
          .then([](const json_reply&) {},
                [](caf::error&) {}); // the next look shows what became of it
    });
    self->ask(keeper, answer_time, json_request{"look", "null"})
        .then(
            [self, brain, options](const json_reply& report) {
              if (!options->scaler.owns(caf::actor{self}) ||
                  !options->fleet->take(report.value, *options->scaler.brain.board, steady_now()))
                return;
              if (!*brain)
                *brain = std::make_unique<scaler_brain>(brain_of(self, options->scaler));
              (*brain)->step(true);
              options->fleet->show(*options->scaler.brain.board);
            },
            [](caf::error&) {}); // its node is gone, or another one was given the name
  };
  self->send(self, caf::tick_atom_v);
  return {[self, look, board = options->scaler.brain.board](caf::tick_atom) {
    look();
    self->delayed_send(self, board->options().period, caf::tick_atom_v);
  }};
}

} // namespace caf_app::scaler
