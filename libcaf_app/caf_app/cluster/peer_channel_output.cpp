// The part of a channel that is about its connection: who writes to it, and when.
#include "caf_app/cluster/peer_channel.hpp"

#include <utility>

namespace caf_app {

namespace {

constexpr int batches_in_a_row = 4;

} // namespace

// -- the connection ---------------------------------------------------------------------------

void peer_channel::open(channel_output& output, const link_outbox::options& limits) {
  output_ = &output;
  {
    const std::scoped_lock guard{output_mutex_};
    if (state_ == state::ended)
      return;
    if (state_ == state::fresh)
      outbox_.limit(limits);
    else
      outbox_ = link_outbox{limits};
    writer_ = writer::loop; // until the link has taken what is there
    state_ = state::linked;
  }
  ask_for_watches();
}

void peer_channel::express(int fd) {
  const std::scoped_lock guard{write_mutex_, output_mutex_};
  if (state_ == state::linked)
    express_.open(fd);
}

void peer_channel::close() {
  output_ = nullptr;
  {
    const std::scoped_lock guard{write_mutex_, output_mutex_};
    express_.close();
    if (state_ != state::ended)
      state_ = state::idle;
    writer_ = writer::nobody;
    put_off_ = false;
    outbox_ = link_outbox{link_outbox::options{}};
  }
  std::vector<std::pair<pending_key, asker>> waiting;
  {
    const std::scoped_lock guard{pending_mutex_};
    waiting = pending_.lose(peer_);
  }
  answer(waiting, why_not_linked());
}

void peer_channel::answer(const std::vector<std::pair<pending_key, asker>>& waiting,
                          const caf::error& why) {
  for (const auto& [key, x] : waiting)
    if (auto who = caf::actor_cast<caf::strong_actor_ptr>(x.who))
      who->enqueue(
          caf::make_mailbox_element(nullptr, x.id.response_id(), {}, caf::make_message(why)),
          context_->loop);
}

size_t peer_channel::take(std::string& out, size_t bytes_max) {
  const std::scoped_lock guard{output_mutex_};
  if (writer_ == writer::sender)
    return 0;
  const auto taken = outbox_.take(out, bytes_max);
  writer_ = taken != 0 ? writer::loop : writer::nobody;
  put_off_ = false;
  express_.left();
  return taken;
}

size_t peer_channel::queued() const {
  const std::scoped_lock guard{output_mutex_};
  return outbox_.bytes();
}

// -- past the loop --------------------------------------------------------------------------

peer_channel::next_step peer_channel::step_after(push_verdict verdict, time_point now) {
  if (verdict != push_verdict::first && verdict != push_verdict::queued)
    return next_step::none;
  const auto alone = express_.note(now);
  if (!linked() || writer_ != writer::nobody)
    return next_step::none; // it leaves with the link, or who writes looks again
  if (express_.is_open() && express_.is_full())
    return next_step::write;
  if (verdict != push_verdict::first)
    return next_step::none; // with the one before
  put_off_ = true;
  return alone && express_.is_open() ? next_step::put_off_or_write : next_step::put_off;
}

/// What waits leaves at the end of this thread's turn. Without one a single message leaves at once,
/// and those that follow each other gather until the loop comes to it.
void peer_channel::put_off(next_step otherwise) {
  if (turn::put_off(shared_from_this()))
    return;
  if (otherwise == next_step::put_off_or_write)
    write_now();
  else
    wake(false);
}

// Many senders at once are the loop's business: nobody writes for the others for long.
void peer_channel::write_now() {
  const std::unique_lock writing{write_mutex_, std::try_to_lock};
  if (!writing)
    return wake(false);
  for (int i = 0; i < batches_in_a_row; ++i)
    switch (take_batch()) {
      case next_step::none: return;
      case next_step::write:
        if (!write_batch())
          return wake(false);
        break;
      default: return wake(false);
    }
  {
    const std::scoped_lock guard{output_mutex_};
    writer_ = writer::nobody;
  }
  wake(false);
}

/// @returns write if batch_ has to be written; put_off if only the loop can
peer_channel::next_step peer_channel::take_batch() {
  const std::scoped_lock guard{output_mutex_};
  if (writer_ == writer::loop)
    return next_step::none; // it looks again
  writer_ = writer::nobody;
  if (outbox_.empty() || !linked())
    return next_step::none;
  if (!express_.is_open())
    return next_step::put_off;
  put_off_ = false;
  express_.left();
  batch_.clear();
  outbox_.take(batch_, limits::cluster::batch_bytes);
  writer_ = writer::sender;
  return next_step::write;
}

/// @returns false if the loop has to go on
bool peer_channel::write_batch() {
  const auto sent = express_.write(batch_);
  if (sent == batch_.size())
    return true;
  const std::scoped_lock guard{output_mutex_};
  outbox_.push_rest(batch_.substr(sent));
  writer_ = writer::nobody;
  return false;
}

} // namespace caf_app
