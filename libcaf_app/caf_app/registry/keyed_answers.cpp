#include "caf_app/registry/keyed_answers.hpp"

#include <chrono>

#include <caf/make_message.hpp>

namespace caf_app {

namespace {

void answer(const caf::strong_actor_ptr& who, caf::message_id id, const caf::message& reply,
            const caf::strong_actor_ptr& self, caf::execution_unit* unit) {
  if (who)
    who->enqueue(caf::make_mailbox_element(self, id.response_id(), {}, reply), unit);
}

} // namespace

std::optional<keyed_answers::work> keyed_answers::begin(caf::mailbox_element& x, time_point now,
                                                        const caf::strong_actor_ptr& self,
                                                        caf::execution_unit* unit) {
  using verdict = decltype(book_)::verdict;
  auto key = x.content().get_as<request_key>(0);
  const auto until = now + std::chrono::milliseconds{key.deadline_ms};
  key.deadline_ms = 0; // repetitions have less time left, and the same key
  const waiter from{x.sender, x.mid};
  x.mid.mark_as_answered();
  switch (book_.begin(key, from, until, now)) {
    case verdict::waiting: return std::nullopt;
    case verdict::answered:
      answer(from.who, from.id, book_.reply(key), self, unit);
      return std::nullopt;
    case verdict::fresh: break;
  }
  return work{key, until, x.move_content_to_message().drop(1)};
}

void keyed_answers::finish(const request_key& key, const caf::message& reply,
                           const caf::strong_actor_ptr& self, caf::execution_unit* unit) {
  for (const auto& each : book_.finish(key, reply))
    answer(each.who, each.id, reply, self, unit);
}

void keyed_answers::fail(const request_key& key, const caf::error& why,
                         const caf::strong_actor_ptr& self, caf::execution_unit* unit) {
  const auto reply = caf::make_message(why);
  for (const auto& each : book_.drop(key))
    answer(each.who, each.id, reply, self, unit);
}

} // namespace caf_app
