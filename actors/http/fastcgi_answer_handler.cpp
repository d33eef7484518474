// The response side of a fastcgi_task: records, the script's head, its output, its complaints.
#include "actors/http/fastcgi_limits.hpp"
#include "actors/http/fastcgi_task_handler.hpp"

namespace caf_app::http {

namespace {

constexpr auto errors_kept_max = limits::http::script_error_bytes;

} // namespace

// What one read has brought goes on in one piece: small pages are answered whole.
void fastcgi_task::receive(std::span<const char> bytes) {
  while (!bytes.empty()) {
    const auto step = reader_.feed(bytes);
    bytes = bytes.subspan(step.consumed);
    switch (step.event) {
      case fcgi_event::need_more: break;
      case fcgi_event::output:
        if (!take_output({step.data.data(), step.data.size()}))
          return broken(502, outcome::bad_response);
        break;
      case fcgi_event::errors: note_error({step.data.data(), step.data.size()}); break;
      case fcgi_event::end: return request_ended(bytes.empty());
      case fcgi_event::bad:
        pool()->complain(link()->server(), "what came is no FastCGI");
        return broken(502, outcome::bad_response);
    }
  }
  const auto alive = std::weak_ptr<bool>{alive_};
  if (has_head_)
    flush();
  if (alive.expired() || now_in() != stage::answering)
    return;
  set_deadline(plan().config.read_timeout);
  if (!open_.has_room() && link())
    link()->pause();
}

// @returns false if it is no head of a script
bool fastcgi_task::take_output(std::string_view bytes) {
  if (has_head_) {
    output_ += bytes;
    return true;
  }
  switch (head_.feed(bytes)) {
    case cgi_head_reader::outcome::need_more: return true;
    case cgi_head_reader::outcome::bad:
      pool()->complain(link()->server(), "the head of a script is not valid");
      return false;
    case cgi_head_reader::outcome::head: break;
  }
  has_head_ = true;
  output_ = head_.rest();
  return true;
}

// After its head nothing but a cut tells the client, wherever the reads were cut.
void fastcgi_task::broken(uint16_t status, outcome how) {
  const auto alive = std::weak_ptr<bool>{alive_};
  if (has_head_)
    flush();
  if (!alive.expired() && now_in() != stage::over)
    fail(status, how);
}

void fastcgi_task::note_error(std::string_view text) {
  error_bytes_ += text.size();
  errors_ += text.substr(0, errors_kept_max - std::min(errors_kept_max, errors_.size()));
}

void fastcgi_task::log_errors() {
  const auto& log = open_.context().log;
  if (error_bytes_ == 0 || !log)
    return;
  while (errors_.ends_with('\n'))
    errors_.pop_back();
  log->warning(speaker_of(open_.owner()), "a script complains",
               {{"script", script_.name}, {"bytes", error_bytes_}, {"text", errors_}});
  error_bytes_ = 0;
}

std::vector<field> fastcgi_task::answer_fields() const {
  std::vector<field> fields;
  for (const auto& [name, value] : head_.head().fields)
    fields.push_back({name, value, find_known_field(name)});
  add_missing(fields, entry_.headers);
  return fields;
}

// This may be gone after it.
void fastcgi_task::flush() {
  const auto alive = std::weak_ptr<bool>{alive_};
  if (!std::exchange(begun_, true)) {
    const auto fields = answer_fields();
    answering();
    open_.begin({head_.head().status, {}, fields, {}}, head_.head().content_length);
  }
  if (alive.expired() || now_in() != stage::answering)
    return;
  const auto bytes = std::exchange(output_, {});
  sent_ += bytes.size();
  if (sent_ > head_.head().content_length.value_or(sent_))
    return cut(outcome::bad_response); // more than the script has promised
  open_.write(bytes);
}

void fastcgi_task::request_ended(bool clean) {
  const auto status = reader_.status();
  if (status == fcgi_status::overloaded || status == fcgi_status::cant_mpx)
    return broken(503, outcome::unavailable);
  if (status != fcgi_status::complete || !has_head_)
    return broken(502, outcome::bad_response);
  const auto& announced = head_.head().content_length;
  const auto is_head = method_ == method::head;
  if (begun_ || is_head || (announced && *announced != output_.size())) {
    const auto alive = std::weak_ptr<bool>{alive_};
    flush();
    if (alive.expired() || now_in() != stage::answering)
      return;
  }
  log_errors();
  if (!begun_)
    answering();
  const auto keeps = may_keep(clean);
  const auto pool_kept = pool();
  auto link = end(outcome::ok);
  if (begun_)
    open_.finish(); // and this is gone
  else
    respond_whole();
  if (keeps)
    pool_kept->keep(std::move(link));
}

void fastcgi_task::respond_whole() {
  const auto fields = answer_fields();
  open_.respond({head_.head().status, {}, fields, output_});
}

// A server's worker serves one connection until it closes, so one that is kept takes a worker from
// everybody else (adr/0016-fastcgi-connections.md). While others wait for an answer of this server,
// one of them may wait for the very worker that is free now: it gets it by our close. Unless no
// more than max_conns ask at once, and all do.
bool fastcgi_task::may_keep(bool clean) {
  const auto sent = !has_content_ || (is_complete() && input_closed_);
  if (!clean || !sent || link()->queued() > 0 || now_ - link()->opened >= limits::http::fastcgi_age)
    return false;
  const auto active = pool()->balancer().active(link()->server());
  return active <= 1 || active >= plan().config.max_conns;
}

} // namespace caf_app::http
