#include "nodes/instance_actor.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>

#include "caf_app/base/error.hpp"
#include "nodes/hex.hpp"
#include "nodes/instance_metrics.hpp"

namespace caf_app {

namespace {

constexpr size_t nudges_max = 1'000'000;
constexpr size_t attract_ms_max = 60'000;

constexpr size_t shares_max = 10'000;
constexpr std::string_view ring_word = "ring ";
constexpr std::string_view metrics_word = "metrics ";

// The parent reads, or has ended, and with it we do.
void write_to_parent(std::string_view text) {
  [[maybe_unused]] const auto n = ::write(STDOUT_FILENO, text.data(), text.size());
}

std::optional<size_t> number_after(std::string_view text, std::string_view word, size_t max) {
  if (!text.starts_with(word))
    return std::nullopt;
  text.remove_prefix(word.size());
  size_t result = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), result);
  if (error != std::errc{} || end != text.data() + text.size() || result > max)
    return std::nullopt;
  return result;
}

} // namespace

void tell_parent(std::string line) {
  line += '\n';
  write_to_parent(line);
}

// Waits for the task only; nobody has to end it, since every task has a deadline of its own.
void run_detached(caf::actor_system& system, std::function<void()> task) {
  system.spawn<caf::detached>([task = std::move(task)](caf::event_based_actor*) { task(); });
}

instance_actor::instance_actor(caf::actor_config& cfg, event_loop* loop, app* host,
                               std::shared_ptr<http::http_service> web, instance_life life)
    : loop_app_actor(cfg, loop), host_(host), web_(std::move(web)), life_(std::move(life)) {}

caf::behavior instance_actor::make_behavior() {
  ::fcntl(STDIN_FILENO, F_SETFL, O_NONBLOCK);
  input_ = watched_fd::open(*loop(), STDIN_FILENO, [this] { on_input(); });
  return {[](caf::tick_atom) {}};
}

void instance_actor::on_exit() {
  if (input_)
    std::exchange(input_, nullptr)->close();
}

void instance_actor::on_input() {
  const auto buffer = loop()->scratch();
  const auto n = ::read(STDIN_FILENO, buffer.data(), buffer.size());
  if (n > 0) {
    lines_.feed({buffer.data(), static_cast<size_t>(n)},
                [this](std::string_view line) { obey(line); });
  } else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
    std::exchange(input_, nullptr)->close();
    host_->stop();
  }
}

void instance_actor::retire() {
  if (retiring_)
    return;
  retiring_ = std::make_shared<http::leave_gate>();
  run_detached(
      system(), [host = host_, web = web_, gate = retiring_, self = caf::actor{this}, this] {
        const auto how = web->retire(gate);
        if (how == http::retirement::left)
          return host->stop();
        loop()->post([self, this, how] {
          retiring_ = nullptr; // before the parent hears of it: it may give the order again
          tell_parent(how == http::retirement::revoked ? "stays" : "steer_failed");
        });
      });
}

void instance_actor::obey(std::string_view order) {
  if (order == "retire") {
    retire();
  } else if (order == "stay") {
    if (retiring_ && !retiring_->revoke())
      tell_parent("leaves");
  } else if (order == "reload") {
    run_detached(system(), [host = host_, reload = life_.reload] {
      if (auto err = reload())
        host->log()->error({"instance", 0}, "reload refused, the old configuration stays",
                           {{"reason", describe(err)}});
    });
  } else if (order.starts_with(ring_word)) {
    web_->ticket_keys().follow(from_hex(order.substr(ring_word.size())));
  } else if (const auto shares = number_after(order, "share ", shares_max)) {
    web_->share_rates(std::max<size_t>(*shares, 1));
  } else if (order.starts_with(metrics_word)) {
    run_detached(system(), [question = std::string{order.substr(metrics_word.size())},
                            metrics = life_.metrics] {
      for (const auto& piece : metric_lines(question, metrics()))
        write_to_parent(piece);
    });
  } else if (const auto count = number_after(order, "nudge ", nudges_max)) {
    web_->nudge(*count);
  } else if (order.starts_with("purge ")) {
    web_->purge(std::string{order.substr(6)});
  } else if (const auto ms = number_after(order, "attract ", attract_ms_max)) {
    run_detached(system(), [web = web_, ms = *ms] { web->attract(std::chrono::milliseconds{ms}); });
  }
}

} // namespace caf_app
