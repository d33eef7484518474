#include "actors/eval/process/probe.hpp"

#include <poll.h>
#include <unistd.h>

#include "actors/eval/process/child.hpp"
#include "caf_app/eval/json_text.hpp"

namespace caf_app::eval {

namespace {

constexpr int patience_ms = 5'000;

bool is_true(const json& from, const char* member) {
  const auto* value = from.find(member);
  return value && value->if_bool() && *value->if_bool();
}

/// Everything until the other side closes, or patience ends.
std::string read_all(int fd) {
  std::string result;
  char buffer[4096];
  for (;;) {
    pollfd waiting{fd, POLLIN, 0};
    if (::poll(&waiting, 1, patience_ms) <= 0)
      return result;
    const auto got = ::read(fd, buffer, sizeof buffer);
    if (got <= 0)
      return result;
    result.append(buffer, static_cast<size_t>(got));
  }
}

confinement_layers failed(const std::string& why) {
  confinement_layers result;
  write_json_string(result.json_text, why);
  return result;
}

} // namespace

confinement_layers probe_confinement(const toolchain& tools) {
  auto sockets = make_socket_pair();
  if (!sockets)
    return failed("no socket pair");
  child_options options;
  options.arguments = {tools.launcher, "--probe"};
  options.output = sockets->second.get();
  auto started = start_child(options);
  if (auto why = std::get_if<std::string>(&started))
    return failed(*why);
  sockets->second.reset();
  auto text = read_all(sockets->first.get());
  while (text.ends_with('\n'))
    text.pop_back();
  const auto value = read_json(text);
  const auto* layers = std::get_if<json>(&value);
  if (!layers || !layers->if_object())
    return failed("the confine program said: " + text);
  const auto* landlock = layers->find("landlock");
  confinement_layers result;
  result.json_text = std::move(text);
  result.complete = is_true(*layers, "noNewPrivileges") && is_true(*layers, "limits") &&
                    is_true(*layers, "seccomp") && landlock && landlock->if_number() &&
                    *landlock->if_number() != "0";
  return result;
}

} // namespace caf_app::eval
