// The request side of a fastcgi_task.
#include "actors/http/fastcgi_task_handler.hpp"

#include "actors/http/fastcgi_farewell_handler.hpp"
#include "actors/http/fastcgi_params.hpp"
#include "actors/http/fastcgi_script_handler.hpp"
#include "actors/http/file_path.hpp"

namespace caf_app::http {

namespace {

constexpr auto buffer_max = limits::http::direction_buffer_bytes;

} // namespace

fastcgi_task::fastcgi_task(const route_entry& entry, exchange& open,
                           std::shared_ptr<upstream_pool> pool, std::string key, std::string params)
    : upstream_call(entry, open, std::move(pool), std::move(key)), params_(std::move(params)),
      path_(open.request().path), below_(open.request().below), query_(open.request().query),
      has_content_(open.request().has_body), content_length_(open.request().content_length),
      held_(std::in_place, open.context().table->limits().body_memory) {}

fastcgi_task::~fastcgi_task() {
  log_errors();
  if (now_in() >= stage::sending && now_in() != stage::over) // the client has gone
    say_farewell(pool()->loop(), release(server_verdict::unknown, outcome::aborted), now_);
}

void fastcgi_task::find(std::string cache_key) {
  auto result = std::make_shared<fastcgi_script>();
  auto& context = open_.context();
  context.workers->run([result, options = entry_.config.fastcgi,
                        below = below_] { *result = find_script(options, below); },
                       [result, this, cache_key = std::move(cache_key), scripts = context.scripts,
                        alive = std::weak_ptr<bool>{alive_}, &now = now_] {
                         scripts->insert(cache_key, *result, now);
                         if (!alive.expired())
                           guarded([&] { use(std::move(*result)); });
                       });
}

bool fastcgi_task::use(fastcgi_script script) {
  script_ = std::move(script);
  switch (script_.kind) {
    case fastcgi_script::outcome::not_found: respond_status(404); return true;
    case fastcgi_script::outcome::directory: redirect(); return true;
    case fastcgi_script::outcome::busy: refuse_for_now(open_); return true;
    case fastcgi_script::outcome::found: break;
  }
  found_ = true;
  if (lost_content_) {
    respond_status(500);
    return true;
  }
  if (knows_length() || is_complete())
    return begin(); // else CONTENT_LENGTH is not known yet
  if (std::exchange(paused_, false))
    open_.resume_content();
  return false;
}

void fastcgi_task::respond_status(uint16_t status, std::span<const field> more) {
  std::vector<field> fields{more.begin(), more.end()};
  add_missing(fields, entry_.headers);
  open_.respond_status(status, fields);
}

void fastcgi_task::redirect() {
  const auto location = directory_location(path_, query_);
  const field line{"Location", location, known_field::location};
  respond_status(is_safe(method_) ? 301 : 308, {&line, 1});
}

// -- what is sent
// ----------------------------------------------------------------------------------

void fastcgi_task::send_head(upstream_link& link) {
  fastcgi_target target;
  target.root = entry_.config.fastcgi.root;
  target.prefix = entry_.config.path;
  target.script = script_.name;
  target.path_info = script_.path_info;
  if (has_content_)
    target.content_length = content_length_ ? *content_length_ : held_->size();
  reader_.reset();
  std::string records;
  append_fcgi_begin(records);
  append_fcgi_params(records,
                     params_ + fastcgi_script_params(target, entry_.config.fastcgi.params));
  if (!has_content_)
    append_fcgi_stdin_end(records);
  link.write(records);
}

void fastcgi_task::send_content() {
  if (has_content_)
    send_held();
  if (link() && link()->queued() == 0)
    output_sent();
}

// A spooled upload goes piece by piece, as the server takes it.
void fastcgi_task::send_held() {
  if (held_) {
    const auto content = held_->view();
    if (content.size() != held_->size())
      return fail(500, outcome::unavailable); // no memory to map it
    std::string records;
    while (held_sent_ < content.size() && link()->queued() < buffer_max) {
      const auto piece = content.substr(held_sent_, buffer_max);
      records.clear();
      append_fcgi_stdin(records, piece);
      content_sent_ = true;
      held_sent_ += piece.size();
      link()->write(records);
    }
    if (held_sent_ < content.size())
      return;
    held_.reset();
  }
  if (is_complete() && !std::exchange(input_closed_, true)) {
    std::string end;
    append_fcgi_stdin_end(end);
    link()->write(end);
  }
}

void fastcgi_task::on_body(std::span<const char> bytes) {
  if (now_in() == stage::over || bytes.empty() || lost_content_)
    return;
  const auto streams = !held_ && link() && now_in() >= stage::sending;
  if (streams) {
    std::string records;
    append_fcgi_stdin(records, {bytes.data(), bytes.size()});
    content_sent_ = true;
    link()->write(records);
  } else if (held_ && !held_->append(bytes)) {
    lost_content_ = true;
    if (found_ && now_in() == stage::idle)
      return respond_status(500); // no room for the file
    if (found_)
      return fail(500, outcome::unavailable);
  }
  // What has no length is spooled whole; the rest waits with the client.
  const auto waiting = streams ? link()->queued() : content_length_ && held_ ? held_->size() : 0;
  if (waiting >= buffer_max && !paused_) {
    paused_ = true;
    open_.pause_content();
  }
}

void fastcgi_task::on_body_end() {
  if (now_in() == stage::over)
    return;
  content_complete();
  if (now_in() >= stage::sending && link() && has_content_)
    send_held();
  else if (found_ && now_in() == stage::idle && !lost_content_)
    begin();
}

void fastcgi_task::output_sent() {
  if (has_content_ && link() && !input_closed_ && now_in() >= stage::sending)
    send_held();
  if (paused_ && !held_ && link() && link()->queued() < buffer_max) {
    paused_ = false;
    open_.resume_content();
  }
}

} // namespace caf_app::http
