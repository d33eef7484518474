// The processes of a driver. The zygote is loaded and initialised once; it describes itself and
// forks workers. A worker serves calls on the socket it was given, one at a time.
//
//   server --control--> zygote --fork--> worker <--calls-- server
#include "caf_app/eval/driver.hpp"

#include <cerrno>
#include <csignal>
#include <cstdlib>

#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "actors/eval/runtime/process/channel.hpp"
#include "actors/eval/runtime/process/confinement.hpp"
#include "caf_app/eval/json_text.hpp"

namespace caf_app::eval {

namespace {

/// The server leaves its side of the control channel here.
constexpr int control_fd = 3;

/// Largest payload that a driver takes: `max_body` of the server and the envelope around it. The
/// server checks its own limit before it sends.
constexpr size_t payload_max = (size_t{64} << 20) + frame_envelope_max;

std::string hello_text() {
  return "{\"protocol\":" + std::to_string(frame_protocol) +
         ",\"pid\":" + std::to_string(::getpid()) + "}";
}

/// Asks the server for an effect and waits for its answer.
json perform(channel& server, uint64_t call, effect what, const json& request) {
  std::string front(1, static_cast<char>(what));
  frame answer;
  if (!server.send(frame_kind::effect, call, front, to_text(request)))
    ::_exit(0);
  channel::event got{};
  do
    got = server.receive(answer);
  while (got == channel::event::timeout);
  if (got != channel::event::frame || answer.kind != frame_kind::effect_reply ||
      answer.id != call || answer.payload.empty())
    ::_exit(1); // the server hung up, or this protocol is broken
  const auto text = std::string_view{answer.payload}.substr(1);
  if (answer.payload.front() == 0)
    throw effect_failed{std::string{text}};
  auto value = read_json(text, json_depth_max + envelope_depth_max);
  if (auto reply = std::get_if<json>(&value))
    return std::move(*reply);
  throw effect_failed{"the answer to an effect is no JSON"};
}

bool serve_frame(const driver_table& table, channel& server, const frame& call) {
  std::string_view rest{call.payload};
  const auto header_bytes = take_u32(rest);
  if (call.kind != frame_kind::call || !header_bytes || *header_bytes > rest.size())
    return false;
  auto reply = serve(
      table, rest.substr(0, *header_bytes), rest.substr(*header_bytes),
      [&](effect what, const json& request) { return perform(server, call.id, what, request); });
  std::string front;
  append_u16(front, static_cast<uint16_t>(reply.status));
  return server.send(frame_kind::reply, call.id, front, reply.body);
}

[[noreturn]] void run_worker(const driver_table& table, int fd, pid_t zygote, bool busy_poll) {
  ::setpgid(0, 0);
  die_with_parent(zygote);
  tighten_system_calls(tightened::worker);
  channel server{fd, payload_max, busy_poll};
  if (!server.send(frame_kind::hello, 0, hello_text()))
    ::_exit(0);
  frame call;
  for (;;) {
    switch (server.receive(call)) {
      case channel::event::timeout: break;
      case channel::event::closed: ::_exit(0);
      case channel::event::broken: ::_exit(1);
      case channel::event::frame:
        if (!serve_frame(table, server, call))
          ::_exit(1);
    }
  }
}

/// Forks a worker and tells the server its id and a descriptor of the process.
void fork_worker(const driver_table& table, channel& control, const frame& request) {
  const auto socket = control.take_descriptor();
  const auto self = ::getpid();
  std::string_view payload{request.payload};
  const auto key = take_u64(payload);
  const auto busy_poll = payload == "\1";
  const auto child = socket < 0 || !key ? -1 : fork_with_key(*key);
  if (child == 0) {
    control.close();
    // A worker's socket is where the control channel was: it holds no other descriptor.
    ::dup2(socket, control_fd);
    if (socket != control_fd)
      ::close(socket);
    run_worker(table, control_fd, self, busy_poll);
  }
  int pidfd = -1;
#ifdef SYS_pidfd_open
  if (child > 0)
    pidfd = static_cast<int>(::syscall(SYS_pidfd_open, child, 0));
#endif
  std::string answer;
  append_u32(answer, child > 0 ? static_cast<uint32_t>(child) : 0);
  control.send(frame_kind::forked, request.id, answer, {}, pidfd);
  if (pidfd >= 0)
    ::close(pidfd);
  if (socket >= 0)
    ::close(socket);
}

/// Makes SIGCHLD end a wait, so that ended workers do not stay as zombies.
void catch_children() {
  struct sigaction action {};
  action.sa_handler = [](int) {};
  ::sigaction(SIGCHLD, &action, nullptr);
}

void reap_children() {
  while (::waitpid(-1, nullptr, WNOHANG) > 0) {
  }
}

} // namespace

int driver_main(const driver_table& table) {
  restrict_files({}); // nothing is left to open
  tighten_system_calls(tightened::zygote);
  catch_children();
  channel control{control_fd, frame_envelope_max};
  if (!control.send(frame_kind::hello, 0, hello_text()))
    return 1;
  frame request;
  for (;;) {
    const auto got = control.receive(request);
    reap_children();
    if (got == channel::event::timeout)
      continue;
    if (got != channel::event::frame)
      return got == channel::event::closed ? 0 : 1;
    if (request.kind == frame_kind::describe)
      control.send(frame_kind::description, request.id, to_text(describe(table)));
    else if (request.kind == frame_kind::fork)
      fork_worker(table, control, request);
    else
      return 1;
  }
}

} // namespace caf_app::eval
