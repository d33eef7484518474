// What a cache_task does with the answer of its handler.
#include <algorithm>

#include "actors/http/cache_answer.hpp"
#include "actors/http/cache_task_handler.hpp"
#include "actors/http/connection_base.hpp"
#include "actors/http/fixed_response.hpp"
#include "actors/http/loop_context.hpp"

namespace caf_app::http {

namespace {

// RFC 5861 §4
bool is_origin_error(uint16_t status) {
  return status == 500 || status == 502 || status == 503 || status == 504;
}

} // namespace

cache_response cache_task::response_of(const response& head, std::vector<field>& lines) const {
  auto& context = open_.context();
  lines.assign(head.fields.begin(), head.fields.end());
  if (head.source == response_source::own && !service_.server.empty())
    lines.push_back({"Server", service_.server, known_field::server});
  return {head.status, head.content_type, lines, asked_at_, context.now, context.date_seconds()};
}

// @returns whether it was answered, or needs no answer any more
bool cache_task::take_head(const response& head, std::optional<uint64_t> length) {
  if (phase_ == phase::over)
    return true;
  if (phase_ == phase::passing) {
    note_effects(head);
    return false;
  }
  if (stored_ && head.status == 304) {
    revalidated(head);
    return true;
  }
  if (replace_error(head.status))
    return true;
  judge(head, length);
  return false;
}

// RFC 9111 §4.4
void cache_task::note_effects(const response& head) {
  if (is_safe(view_.method) || head.status < 200 || head.status >= 400)
    return;
  std::vector<std::string_view> references;
  for (const auto& line : head.fields)
    if (line.id == known_field::location || equals_ignoring_case(line.name, "content-location"))
      references.push_back(line.value);
  auto keys = same_origin_keys(key_, references);
  keys.push_back(key_);
  service_.store->invalidate(keys);
}

// Whether it is stored, and whether others may have it.
void cache_task::judge(const response& head, std::optional<uint64_t> length) {
  std::vector<field> lines;
  auto entry = entry_of(response_of(head, lines), kept_->fields(), service_.rules);
  promised_ = length;
  const auto fits = length.value_or(0) <= service_.store->limits().object_max;
  if (fits && may_store(wish_, entry) == store_verdict::store) {
    recorded_ = std::move(entry);
    return;
  }
  if (stored_ && head.status < 500)
    service_.store->erase(key_, stored_); // it is this now
  if (head.status < 400 && is_for_one(entry))
    service_.store->note_private(key_, open_.context().now + service_.lock_timeout);
  end_fill(fill_outcome::not_kept);
}

void cache_task::revalidated(const response& head) {
  std::vector<field> lines;
  auto updated = freshened(*stored_, response_of(head, lines), kept_->fields(), service_.rules);
  if (!updated) {
    service_.store->erase(key_, stored_);
    end_fill(fill_outcome::not_kept);
    phase_ = phase::over;
    note(cache_result::miss);
    return open_.respond_status(502); // it is good for something that we do not have
  }
  cache_status status;
  status.forwarded = why_;
  status.origin_status = 304;
  status.ttl = updated->lifetime - updated->initial_age;
  const auto entry = std::make_shared<const cache_entry>(std::move(*updated));
  if (may_store(wish_, *entry) == store_verdict::store) {
    status.stored = service_.store->insert(key_, entry, since_);
  } else {
    service_.store->erase(key_, stored_);
  }
  end_fill(status.stored ? fill_outcome::stored : fill_outcome::not_kept);
  answer(*entry, cache_result::revalidated, status);
}

bool cache_task::replace_error(uint16_t status) {
  const auto now = open_.context().now;
  if (!stored_ || !is_origin_error(status) ||
      !may_replace_error(*stored_, wish_, service_.rules, now))
    return false;
  cache_status what;
  what.forwarded = why_;
  what.origin_status = status;
  what.ttl = stored_->lifetime - stored_->age(now);
  what.detail = "stale-if-error";
  end_fill(fill_outcome::not_kept);
  answer(*stored_, cache_result::stale, what);
  return true;
}

void cache_task::end_fill(fill_outcome outcome) { fill_.end(outcome); }

cache_status cache_task::status_now() const {
  cache_status result;
  result.forwarded = why_;
  result.stored = recorded_.has_value();
  if (recorded_)
    result.ttl = recorded_->lifetime - recorded_->initial_age;
  return result;
}

void cache_task::forward(const response& head, const std::function<void(const response&)>& send) {
  const auto status = to_string(status_now());
  std::vector<field> lines{head.fields.begin(), head.fields.end()};
  lines.push_back({"Cache-Status", status, known_field::other});
  auto told = head;
  told.fields = lines;
  if (phase_ == phase::fetching && head.status != 304)
    note(cache_result::miss);
  send(told);
}

// -- what the handler says -----------------------------------------------------------------------

void cache_task::respond(const response& answer) {
  if (take_head(answer, answer.body.size()))
    return;
  const auto wants_part = wish_.has_range || wish_.is_conditional;
  if (recorded_ && wants_part && phase_ == phase::fetching) {
    auto status = status_now();
    record(answer.body);
    note(cache_result::miss);
    const auto entry = store_recorded();
    phase_ = phase::over;
    return answer_with(open_, *entry, wish_.method, kept_->fields(), status, open_.context().now,
                       open_.context().date_seconds());
  }
  forward(answer, [&](const response& told) {
    if (recorded_) {
      record(answer.body);
      store_recorded();
    }
    phase_ = phase::over;
    open_.respond(told);
  });
}

void cache_task::respond(const fixed_response& answer) { respond(answer.view()); }

// Errors of this server, not of the origin: never stored, but they tell that the origin is away.
void cache_task::refuse(fault why, std::span<const field> fields) {
  const auto status = rejection_of(why).status;
  if (phase_ == phase::over || (phase_ == phase::fetching && replace_error(status)))
    return;
  if (phase_ == phase::fetching && stored_ && forbids_stale(*stored_) && is_origin_error(status))
    return respond_status(504, {});
  if (phase_ == phase::fetching)
    note(cache_result::miss);
  end_fill(fill_outcome::not_kept);
  phase_ = phase::over;
  open_.refuse(why, fields);
}

void cache_task::respond_status(uint16_t status, std::span<const field> fields) {
  if (phase_ == phase::over || (phase_ == phase::fetching && replace_error(status)))
    return;
  // RFC 9111 §5.2.2.2: what must be validated and cannot is a timeout, whatever the cause.
  if (phase_ == phase::fetching && stored_ && forbids_stale(*stored_) && is_origin_error(status))
    status = 504;
  if (phase_ == phase::passing)
    note_effects({status, {}, fields, {}});
  else
    note(cache_result::miss);
  end_fill(fill_outcome::not_kept);
  const auto text = to_string(status_now());
  std::vector<field> lines{fields.begin(), fields.end()};
  lines.push_back({"Cache-Status", text, known_field::other});
  phase_ = phase::over;
  open_.respond_status(status, lines);
}

void cache_task::respond(const response& head, std::vector<content_part> content) {
  if (take_head(head, std::nullopt))
    return;
  give_up_recording(); // parts of files have a cache of their own
  forward(head, [&](const response& told) {
    phase_ = phase::over;
    open_.respond(told, std::move(content));
  });
}

void cache_task::begin(const response& head, std::optional<uint64_t> length) {
  if (take_head(head, length))
    return;
  held_ = recorded_ && (wish_.has_range || wish_.is_conditional);
  if (!held_)
    forward(head, [&](const response& told) { open_.begin(told, length); });
  else
    note(cache_result::miss);
  record(head.body);
}

void cache_task::write(std::string_view bytes) {
  if (phase_ == phase::over)
    return;
  const auto was_held = held_;
  record(bytes);
  if (!was_held)
    open_.write(bytes);
}

// What is recorded is bounded anyway, and a slow client must not keep those who wait for it.
bool cache_task::has_room() const { return recorded_ || open_.has_room(); }

void cache_task::finish(std::span<const field> trailers) {
  if (phase_ == phase::over)
    return;
  if (recorded_ && promised_ && content_.size() != *promised_)
    give_up_recording();
  if (recorded_) {
    const auto status = status_now();
    const auto entry = store_recorded();
    if (held_) {
      phase_ = phase::over;
      return answer_with(open_, *entry, wish_.method, kept_->fields(), status, open_.context().now,
                         open_.context().date_seconds());
    }
  }
  phase_ = phase::over;
  open_.finish(trailers);
}

void cache_task::abort() {
  if (phase_ == phase::over)
    return;
  const auto nothing_sent = std::exchange(held_, false);
  recorded_.reset();
  end_fill(fill_outcome::not_kept);
  phase_ = phase::over;
  if (nothing_sent)
    open_.respond_status(502);
  else
    open_.abort();
}

void cache_task::inform(uint16_t status, std::span<const field> fields) {
  if (phase_ != phase::over)
    open_.inform(status, fields);
}

void cache_task::tunnel(std::span<const field> fields) {
  phase_ = phase::over;
  open_.tunnel(fields);
}

} // namespace caf_app::http
