#include "caf_app/cluster/remote_handle.hpp"

#include <utility>

#include "caf_app/cluster/peer_channel.hpp"

namespace caf_app {

remote_handle::remote_handle(caf::actor_config& config, std::shared_ptr<peer_channel> channel)
    : caf::actor_proxy(config), channel_(std::move(channel)) {}

remote_handle::~remote_handle() { channel_->forget(ctrl()); }

void remote_handle::enqueue(caf::mailbox_element_ptr what, caf::execution_unit* unit) {
  channel_->send(*this, std::move(what), std::nullopt, unit);
}

void remote_handle::enqueue(caf::strong_actor_ptr sender, caf::message_id id, caf::message content,
                            caf::execution_unit* unit) {
  enqueue(caf::make_mailbox_element(std::move(sender), id, {}, std::move(content)), unit);
}

void remote_handle::enqueue_until(caf::mailbox_element_ptr what, caf::execution_unit* unit,
                                  std::chrono::steady_clock::time_point deadline) {
  channel_->send(*this, std::move(what), deadline, unit);
}

void remote_handle::attach(caf::attachable_ptr ptr) {
  ++attaches_;
  caf::actor_proxy::attach(std::move(ptr));
  if (!getf(is_terminated_flag))
    channel_->monitor(*this);
}

// Somebody may attach between the look and the call: then the channel sees another number.
size_t remote_handle::detach(const caf::attachable::token& what) {
  const auto seen = attaches_.load();
  const auto count = caf::actor_proxy::detach(what);
  const auto unused = exclusive_critical_section([this] { return attachables_head_ == nullptr; });
  if (count > 0 && unused)
    channel_->demonitor(*this, seen);
  return count;
}

// Both are called while the two actors are locked.
bool remote_handle::add_backlink(caf::abstract_actor* other) {
  ++attaches_;
  const auto added = caf::actor_proxy::add_backlink(other);
  if (added)
    channel_->link(*this, *other);
  return added;
}

bool remote_handle::remove_backlink(caf::abstract_actor* other) {
  const auto removed = caf::actor_proxy::remove_backlink(other);
  if (removed)
    channel_->unlink(*this, *other);
  return removed;
}

} // namespace caf_app
