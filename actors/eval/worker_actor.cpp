#include "actors/eval/worker_actor.hpp"

#include <algorithm>
#include <csignal>

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "actors/eval/api_reply.hpp"
#include "actors/eval/process/effect_request.hpp"
#include "caf_app/base/time.hpp"
#include "caf_app/eval/json_text.hpp"

namespace caf_app::eval {

namespace {

constexpr size_t payload_max = limit::body_bytes_max + frame_envelope_max;
constexpr size_t one_write_max = size_t{64} << 10; // larger bodies are not copied behind the head

/// Linux 6.9; before that the group is signalled by its number, which is the process's.
constexpr unsigned pidfd_signal_process_group = 1U << 2;

int64_t unix_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(wall_now().time_since_epoch())
      .count();
}

std::string header_of(const eval_call& call) {
  std::string text = R"({"kind":")" + call.kind + R"(","name":")" + call.entry + R"(","build":")" +
                     call.build + R"(","clock":)" + std::to_string(unix_ms()) + R"(,"identity":)" +
                     (call.identity.empty() ? "null" : call.identity) + R"(,"effects":[)";
  const char* comma = "";
  for (auto& effect : call.effects) {
    text += comma;
    write_json_string(text, effect);
    comma = ",";
  }
  return text + R"(],"replyMax":)" + std::to_string(limit::body_bytes_max) + '}';
}

std::string payload_of(const effect_result& result) {
  if (auto value = std::get_if<json>(&result))
    return '\x01' + to_text(*value);
  return '\0' + std::get<std::string>(result);
}

bool is_granted(effect what, const eval_call& call) {
  const std::string_view name = what == effect::http ? "http" : "filesystem";
  return std::find(call.effects.begin(), call.effects.end(), name) != call.effects.end();
}

effect_result perform(effect what, const std::string& request, const effect_scope& scope) {
  const auto value = read_json(request, json_depth_max + envelope_depth_max);
  const auto* parsed = std::get_if<json>(&value);
  if (!parsed)
    return std::string{"the request is no JSON"};
  return what == effect::http ? perform_http(*parsed, scope) : perform_files(*parsed, scope);
}

} // namespace

worker_actor::worker_actor(caf::actor_config& cfg, event_loop* loop, worker_options options)
    : loop_app_actor(cfg, loop), options_(std::move(options)), reader_(payload_max),
      timer_([this] { on_due(); }) {}

caf::behavior worker_actor::make_behavior() {
  ::fcntl(options_.socket->get(), F_SETFL, O_NONBLOCK);
  socket_ = stream_socket::open(*loop(), options_.socket->release(), *this);
  loop()->timers().arm(timer_, loop()->now() + options_.handshake_timeout);
  watch(options_.dispatcher, [this](const down&) { quit(); });
  return {
      [this](worker_job& job) { run(job); },
      [this](effect_done& done) {
        if (socket_ && job_ && job_->call == done.call)
          socket_->write(frame_head(frame_kind::effect_reply, done.call, done.payload.size()) +
                         done.payload);
      },
      [this](const worker_stop&) { quit(); },
  };
}

void worker_actor::on_exit() {
  timer_.cancel();
  kill();
  close();
  loop_app_actor::on_exit();
}

void worker_actor::run(worker_job& job) {
  job_ = std::move(job);
  if (!socket_)
    return give_up(502, "the worker has ended", "worker_crashed");
  loop()->timers().arm(timer_, job_->deadline);
  const auto header = header_of(*job_->what);
  const auto& body = job_->what->body;
  auto front =
      frame_head(frame_kind::call, job_->call, sizeof(uint32_t) + header.size() + body.size());
  append_u32(front, static_cast<uint32_t>(header.size()));
  front += header;
  if (body.size() <= one_write_max) {
    socket_->write(front + body);
  } else {
    socket_->write(front);
    socket_->write(body);
  }
  job_->what->body = {}; // it may be large
  loop()->expect_soon(expectation::answer);
}

void worker_actor::on_data(std::span<const char> bytes) {
  reader_.feed({bytes.data(), bytes.size()});
  frame got;
  while (socket_) {
    switch (reader_.next(got)) {
      case frame_reader::state::more: return;
      case frame_reader::state::ready: on_frame(got); break;
      case frame_reader::state::broken:
        return give_up(502, "the worker broke the protocol", "worker_crashed");
    }
  }
}

void worker_actor::on_frame(frame& got) {
  if (got.kind == frame_kind::hello && !greeted_) {
    greeted_ = true;
    timer_.cancel();
    caf::anon_send(options_.dispatcher, worker_ready{options_.id});
  } else if (job_ && got.id == job_->call && got.kind == frame_kind::reply) {
    on_reply(got);
  } else if (job_ && got.id == job_->call && got.kind == frame_kind::effect) {
    on_effect(got);
  } else {
    give_up(502, "the worker answered something else", "worker_crashed");
  }
}

void worker_actor::on_reply(const frame& got) {
  std::string_view rest{got.payload};
  const auto status = take_u16(rest);
  if (!status || *status < 200 || *status > 599)
    return give_up(502, "the worker answered something else", "worker_crashed");
  if (rest.size() > limit::body_bytes_max)
    return give_up(502, "the worker answered more than it may", "worker_crashed");
  timer_.cancel();
  eval_reply reply;
  reply.status = *status;
  reply.body = rest;
  answer(std::move(reply), false);
  loop()->expect_soon(expectation::request); // of the client that has waited for it
}

/// Policies are checked here: what a driver says about itself counts for nothing.
void worker_actor::on_effect(const frame& got) {
  const auto& call = *job_->what;
  if (got.payload.empty())
    return give_up(502, "the worker broke the protocol", "worker_crashed");
  const auto what = static_cast<effect>(got.payload.front());
  const auto reply_later = [call_id = job_->call, self = caf::actor{this}](effect_result result) {
    caf::anon_send(self, effect_done{call_id, payload_of(result)});
  };
  if (what != effect::http && what != effect::files)
    return reply_later(std::string{"there is no such effect"});
  if (!is_granted(what, call))
    return reply_later("permission denied: " + std::string{to_string(what)});
  effect_scope scope{options_.files_folder, call.tenant, call.user, call.domains, job_->call};
  // A job of its own: it ends with the effect, at the latest with the timeout of `http`.
  system().spawn<caf::detached>([what, scope = std::move(scope), request = got.payload.substr(1),
                                 reply_later] { reply_later(perform(what, request, scope)); });
}

void worker_actor::on_due() {
  if (job_)
    give_up(504, "the deadline passed while the call was running", "deadline_exceeded");
  else
    give_up(502, "the worker did not start in time", "worker_crashed");
}

void worker_actor::answer(eval_reply reply, bool ends) {
  const auto call = job_->call;
  job_.reset();
  caf::anon_send(options_.dispatcher, worker_done{options_.id, call, std::move(reply), ends});
}

/// The process is not worth keeping: answers its call, kills it, ends.
void worker_actor::give_up(uint16_t status, std::string_view why, std::string_view code) {
  timer_.cancel();
  kill();
  if (job_)
    answer(refusal(status, why, code), true);
  close();
  caf::anon_send(options_.dispatcher, worker_gone{options_.id, std::string{why}});
  caf::anon_send(caf::actor{this}, worker_stop{});
}

void worker_actor::on_end() { give_up(502, "the worker crashed", "worker_crashed"); }

void worker_actor::on_failed(int) { on_end(); }
void worker_actor::on_exception() { on_end(); }

void worker_actor::kill() const {
  const auto fd = options_.pidfd->get();
  const auto send = [fd](int signal, unsigned flags) {
    return ::syscall(SYS_pidfd_send_signal, fd, signal, nullptr, flags) == 0;
  };
  if (send(SIGKILL, pidfd_signal_process_group))
    return;
  if (send(0, 0)) // it has not been waited for: its number is still its own
    ::kill(-options_.pid, SIGKILL);
  send(SIGKILL, 0);
}

void worker_actor::close() {
  if (socket_)
    std::exchange(socket_, nullptr)->close();
}

} // namespace caf_app::eval
