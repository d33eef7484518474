#include "actors/http/proxy_task_handler.hpp"

#include "actors/http/h1_writer.hpp"

namespace caf_app::http {

namespace {

constexpr auto buffer_max = limits::http::direction_buffer_bytes;

// What Host says to a server that is not told the client's.
std::string_view authority_of(const upstream_server& server) {
  if (server.is_unix())
    return "localhost";
  std::string_view result{server.address};
  const std::string_view usual = server.scheme == upstream_scheme::https ? ":443" : ":80";
  if (result.ends_with(usual))
    result.remove_suffix(usual.size());
  return result;
}

} // namespace

proxy_task::proxy_task(const route_entry& entry, exchange& open,
                       std::shared_ptr<upstream_pool> pool, std::string key,
                       proxy_request_head head, upgrade_wish wish)
    : upstream_call(entry, open, std::move(pool), std::move(key)), head_(std::move(head)),
      wish_(std::move(wish)), chunked_(open.request().has_body && !open.request().content_length),
      awaits_invitation_(open.request().awaits_invitation), active_(now_) {}

// -- the request --------------------------------------------------------------

void proxy_task::send_head(upstream_link& link) {
  parser_.reset(method_);
  if (awaits_invitation_ && !content_sent_ && pending_.empty())
    patience_ = limits::http::invitation_patience;
  link.write(head_.text(authority_of(plan().config.servers[link.server()])));
}

void proxy_task::send_content() {
  if (!pending_.empty())
    send(std::exchange(pending_, {}));
  if (link()->queued() == 0)
    output_sent();
}

void proxy_task::send(std::string_view bytes) {
  content_sent_ = true;
  patience_.reset();
  link()->write(bytes);
}

void proxy_task::on_body(std::span<const char> bytes) {
  if (now_in() == stage::over || bytes.empty())
    return;
  const std::string_view data{bytes.data(), bytes.size()};
  std::string framed;
  if (chunked_ && !tunnel_)
    append_chunk(framed, data);
  const auto out = framed.empty() ? data : std::string_view{framed};
  active_ = now_;
  const auto ready = link() && now_in() >= stage::sending;
  if (ready)
    send(out);
  else
    pending_ += out;
  if ((ready ? link()->queued() : pending_.size()) >= buffer_max && !paused_) {
    paused_ = true;
    open_.pause_content();
  }
}

void proxy_task::on_trailers(std::span<const owned_field> trailers) {
  trailers_.assign(trailers.begin(), trailers.end());
}

void proxy_task::on_body_end() {
  if (now_in() == stage::over)
    return;
  if (tunnel_)
    return link() ? link()->finish_output() : void();
  if (chunked_) {
    std::vector<field> lines;
    for (const auto& [name, value] : trailers_)
      lines.push_back({name, value});
    std::string end;
    if (!append_last_chunk(end, lines))
      append_last_chunk(end);
    if (link() && now_in() >= stage::sending)
      send(end);
    else
      pending_ += end;
  }
  content_complete();
}

void proxy_task::output_sent() {
  if (paused_ && link() && link()->queued() < buffer_max) {
    paused_ = false;
    open_.resume_content();
  }
}

// -- the end ------------------------------------------------------------------

void proxy_task::input_ended() {
  if (tunnel_ || body_.ends_with_connection())
    finish(false);
  else
    cut(outcome::failed);
}

void proxy_task::content_late() {
  if (!tunnel_)
    return upstream_call::content_late();
  const auto silent = now_ - active_;
  if (silent >= limits::http::tunnel_idle)
    return cut(outcome::ok);
  set_deadline(limits::http::tunnel_idle - silent);
}

bool proxy_task::is_reusable(std::span<const char> rest) {
  return parser_.response().keep_alive && is_complete() && rest.empty() && link() &&
         link()->queued() == 0;
}

void proxy_task::finish(bool reusable) {
  const auto trailers = body_.trailers();
  std::vector<field> lines;
  for (const auto& [name, value] : trailers)
    lines.push_back({name, value});
  auto link = end(outcome::ok);
  if (reusable) // first, because the next request may begin while the exchange ends
    pool()->keep(std::move(link));
  open_.finish(lines); // and this is gone
}

} // namespace caf_app::http
