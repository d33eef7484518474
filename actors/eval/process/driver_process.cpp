#include "actors/eval/process/driver_process.hpp"

#include <csignal>

#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "caf_app/eval/driver.hpp"
#include "caf_app/eval/json_text.hpp"

namespace caf_app::eval {

namespace {

constexpr size_t reply_max = (size_t{64} << 20) + frame_envelope_max;

std::string why(channel::event what) {
  switch (what) {
    case channel::event::timeout: return "the driver did not answer in time";
    case channel::event::closed: return "the driver ended";
    case channel::event::broken: return "the driver broke the protocol";
    case channel::event::frame: return "the driver answered something else";
  }
  return {};
}

std::string answer_payload(const effect_answer& answer) {
  if (auto value = std::get_if<json>(&answer))
    return '\x01' + to_text(*value);
  return '\0' + std::get<std::string>(answer);
}

} // namespace

worker_process::worker_process(int pid, owned_fd pidfd, owned_fd socket)
    : pid_(pid), pidfd_(std::move(pidfd)), channel_(socket.release(), reply_max) {}

worker_process::~worker_process() {
  // Through the pidfd: the zygote reaps its children, the number may be another process by now.
  ::syscall(SYS_pidfd_send_signal, pidfd_.get(), SIGKILL, nullptr, 0);
}

worker_reply worker_process::call(std::string_view header, std::string_view body, int timeout_ms,
                                  const effect_handler& handle) {
  const auto id = ++last_id_;
  std::string front;
  append_u32(front, static_cast<uint32_t>(header.size()));
  front += header;
  if (!channel_.send(frame_kind::call, id, front, body))
    return {502, error_body("the worker has ended", "worker_crashed")};
  frame answer;
  for (;;) {
    const auto got = channel_.receive(answer, timeout_ms);
    if (got == channel::event::timeout)
      return {504, error_body("no answer in time", "deadline_exceeded")};
    if (got == channel::event::frame && answer.kind == frame_kind::hello)
      continue;
    std::string_view rest{answer.payload};
    if (got == channel::event::frame && answer.id == id && answer.kind == frame_kind::effect &&
        !rest.empty() && handle) {
      const auto what = static_cast<effect>(rest.front());
      auto request = read_json(rest.substr(1), json_depth_max + envelope_depth_max);
      auto reply = std::get_if<json>(&request)
                       ? handle(what, std::get<json>(request))
                       : effect_answer{std::string{"the request is no JSON"}};
      channel_.send(frame_kind::effect_reply, id, answer_payload(reply));
      continue;
    }
    auto status = take_u16(rest);
    if (got != channel::event::frame || answer.id != id || answer.kind != frame_kind::reply ||
        !status)
      return {502, error_body(why(got), "worker_crashed")};
    return {*status, std::string{rest}};
  }
}

driver_process::driver_process(child process, owned_fd socket, uint64_t fork_key, bool busy_poll)
    : process_(std::move(process)), control_(socket.release(), reply_max), fork_key_(fork_key),
      busy_poll_(busy_poll) {}

std::variant<std::unique_ptr<driver_process>, std::string>
driver_process::start(const toolchain& tools, const std::string& driver, int output,
                      int timeout_ms) {
  auto sockets = make_socket_pair();
  if (!sockets)
    return "no socket pair";
  uint64_t fork_key = 0;
  if (::getrandom(&fork_key, sizeof fork_key, 0) != static_cast<ssize_t>(sizeof fork_key))
    return "no random numbers";
  child_options options;
  options.arguments = confined_driver(tools, driver, fork_key);
  options.output = output;
  options.passed = sockets->second.get();
  options.environment = {};
  auto started = start_child(options);
  if (auto fault = std::get_if<std::string>(&started))
    return std::move(*fault);
  sockets->second.reset();
  std::unique_ptr<driver_process> result{new driver_process{
      std::get<child>(std::move(started)), std::move(sockets->first), fork_key, tools.busy_poll}};
  frame hello;
  const auto got = result->control_.receive(hello, timeout_ms);
  if (got != channel::event::frame || hello.kind != frame_kind::hello)
    return why(got);
  if (hello.payload.find("\"protocol\":" + std::to_string(frame_protocol) + ',') ==
      std::string::npos)
    return "the driver was built for another version of the server: delete its build, post it "
           "again";
  return result;
}

std::optional<std::string> driver_process::ask(frame_kind question, frame_kind answer, frame& to,
                                               int timeout_ms, std::string_view payload,
                                               int descriptor) {
  const auto id = ++last_id_;
  if (!control_.send(question, id, payload, {}, descriptor))
    return "the driver ended";
  const auto got = control_.receive(to, timeout_ms);
  if (got != channel::event::frame || to.kind != answer || to.id != id)
    return why(got);
  return std::nullopt;
}

std::variant<json, std::string> driver_process::describe(int timeout_ms) {
  frame answer;
  if (auto fault = ask(frame_kind::describe, frame_kind::description, answer, timeout_ms))
    return *fault;
  auto value = read_json(answer.payload, json_depth_max + envelope_depth_max);
  if (auto description = std::get_if<json>(&value))
    return std::move(*description);
  return std::string{"the driver's description is no JSON"};
}

std::variant<forked_process, std::string> driver_process::fork_process(int timeout_ms) {
  auto sockets = make_socket_pair();
  if (!sockets)
    return "no socket pair";
  std::string request;
  append_u64(request, fork_key_);
  request += busy_poll_ ? '\1' : '\0';
  frame answer;
  if (auto fault = ask(frame_kind::fork, frame_kind::forked, answer, timeout_ms, request,
                       sockets->second.get()))
    return *fault;
  std::string_view rest{answer.payload};
  const auto pid = take_u32(rest);
  owned_fd pidfd{control_.take_descriptor()};
  if (!pid || *pid == 0 || !pidfd)
    return "the driver could not fork";
  return forked_process{static_cast<int>(*pid), std::move(pidfd), std::move(sockets->first)};
}

std::variant<std::unique_ptr<worker_process>, std::string>
driver_process::fork_worker(int timeout_ms) {
  auto forked = fork_process(timeout_ms);
  if (auto fault = std::get_if<std::string>(&forked))
    return std::move(*fault);
  auto& process = std::get<forked_process>(forked);
  return std::make_unique<worker_process>(process.pid, std::move(process.pidfd),
                                          std::move(process.socket));
}

} // namespace caf_app::eval
