// How a cache_task gets to its answer: by the handler, another's fetch, or the store.
#include "actors/http/cache_task_handler.hpp"

#include "actors/http/cache_answer.hpp"
#include "actors/http/connection_base.hpp"
#include "actors/http/loop_context.hpp"

namespace caf_app::http {

namespace {

using later = std::function<void(std::function<void()>)>;

// Runs something on the loop of an exchange, later; may be called on any thread.
later poster_of(exchange& open) {
  if (auto* owner = open.owner(); owner && owner->loop())
    return [loop = owner->loop()](std::function<void()> call) { loop->post(std::move(call)); };
  return [workers = open.context().workers](std::function<void()> call) {
    workers->run([] {}, std::move(call));
  };
}

bool is_for_validation(const field& line) {
  switch (line.id) {
    case known_field::if_match:
    case known_field::if_modified_since:
    case known_field::if_none_match:
    case known_field::if_range:
    case known_field::if_unmodified_since:
    case known_field::range: return true;
    default: return false;
  }
}

template <class F>
void guarded(exchange& open, F call) {
  if (auto* owner = open.owner())
    owner->with_open(open.id(), [&](exchange&) { call(); });
  else
    call();
}

} // namespace

cache_task::cache_task(const cache_handler& handler, exchange& open, const cache_request& wish,
                       std::string_view key)
    : exchange_filter(open), handler_(handler), service_(handler.service()), wish_(wish), key_(key),
      timer_([this, post = poster_of(open)] {
        post([this, alive = std::weak_ptr<bool>{alive_}] { // it may end this
          if (!alive.expired())
            guarded(open_, [this] { resume(fill_outcome::not_kept); });
        });
      }) {}

cache_task::~cache_task() {
  phase_ = phase::over;
  inner_.reset(); // it may ask for the exchange's context in the end
  if (ticket_ != 0)
    service_.store->leave(key_, ticket_);
}

bool cache_task::pass(forward_reason why) {
  why_ = why;
  view_ = open_.request();
  phase_ = phase::passing;
  note(cache_result::bypass);
  inner_ = handler_.inner().start(*this);
  return inner_ != nullptr;
}

bool cache_task::fetch(cache_entry_ptr stored, forward_reason why) {
  why_ = why;
  stored_ = std::move(stored);
  kept_ = std::make_unique<kept_request>(open_.request());
  return lead_or_follow();
}

bool cache_task::refresh(cache_entry_ptr stored, cache_fill fill) {
  why_ = forward_reason::stale;
  stored_ = std::move(stored);
  kept_ = std::make_unique<kept_request>(open_.request());
  fill_ = std::move(fill);
  refreshes_ = true;
  return start_handler();
}

bool cache_task::lead_or_follow() {
  const auto now = open_.context().now;
  if (service_.store->is_private(key_, now))
    return start_handler();
  auto follow = [this, post = poster_of(open_),
                 alive = std::weak_ptr<bool>{alive_}](fill_outcome outcome) {
    post([this, alive, outcome] {
      if (!alive.expired())
        guarded(open_, [&] { resume(outcome); });
    });
  };
  fill_ = service_.store->join(key_, std::move(follow), ticket_);
  if (fill_)
    return start_handler();
  phase_ = phase::waiting;
  give_up_at_ = std::min(give_up_at_, now + service_.lock_timeout);
  if (auto* owner = open_.owner(); owner && owner->loop())
    owner->loop()->timers().arm(timer_, give_up_at_);
  return true;
}

// Somebody else's fetch is over, or it has taken too long.
void cache_task::resume(fill_outcome outcome) {
  if (phase_ != phase::waiting)
    return;
  if (ticket_ != 0)
    service_.store->leave(key_, std::exchange(ticket_, 0));
  timer_.cancel();
  if (outcome != fill_outcome::not_kept && answer_if_usable())
    return;
  if (outcome == fill_outcome::failed && open_.context().now < give_up_at_)
    lead_or_follow();
  else
    start_handler();
}

// Of requests only: a refresh has answered one already, with what is stale.
void cache_task::note(cache_result how) {
  if (refreshes_)
    return;
  service_.counters.answered(how);
  open_.note_cache(to_string(how));
}

bool cache_task::answer_if_usable() {
  const auto& context = open_.context();
  const auto found = service_.store->find(key_, kept_->fields());
  if (!found.entry)
    return false;
  const auto use = use_of(*found.entry, wish_, service_.rules, context.now);
  if (use == cache_use::revalidate) {
    stored_ = found.entry;
    return false;
  }
  cache_status status;
  status.forwarded = why_;
  status.collapsed = true;
  status.ttl = found.entry->lifetime - found.entry->age(context.now);
  answer(*found.entry, cache_result::collapsed, status);
  return true;
}

void cache_task::answer(const cache_entry& entry, cache_result how, const cache_status& status) {
  auto& context = open_.context();
  phase_ = phase::over;
  note(how);
  answer_with(open_, entry, wish_.method, kept_->fields(), status, context.now,
              context.date_seconds());
}

// The whole is fetched, with the origin's own validators if there is something to validate.
bool cache_task::start_handler() {
  phase_ = phase::fetching;
  fields_.clear();
  for (const auto& line : kept_->fields())
    if (!is_for_validation(line))
      fields_.push_back(line);
  if (stored_) {
    const auto [tag, date] = validators_of(*stored_);
    if (!tag.empty())
      fields_.push_back({"If-None-Match", tag, known_field::if_none_match});
    if (!date.empty())
      fields_.push_back({"If-Modified-Since", date, known_field::if_modified_since});
  }
  view_ = kept_->view();
  view_.fields = &fields_;
  since_ = fill_ ? fill_.purges() : service_.store->purges();
  asked_at_ = open_.context().now;
  inner_ = handler_.inner().start(*this);
  if (inner_ && body_ended_)
    inner_->on_body_end();
  return inner_ != nullptr;
}

void cache_task::on_body(std::span<const char> bytes) {
  if (inner_)
    inner_->on_body(bytes);
}

void cache_task::on_body_end() {
  body_ended_ = true;
  if (inner_)
    inner_->on_body_end();
}

void cache_task::on_trailers(std::span<const owned_field> trailers) {
  if (inner_)
    inner_->on_trailers(trailers);
}

void cache_task::on_room() {
  if (inner_)
    inner_->on_room();
}

bool cache_task::invites() const { return !inner_ || inner_->invites(); }

bool cache_task::works_on() const { return inner_ && inner_->works_on(); }

} // namespace caf_app::http
