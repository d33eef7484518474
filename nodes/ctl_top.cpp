#include "nodes/ctl_top.hpp"

#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <ostream>

#include "caf_app/base/error.hpp"
#include "caf_app/base/time.hpp"
#include "nodes/top_sampler.hpp"

namespace caf_app {

namespace {

constexpr size_t plain_width = 80;
constexpr size_t plain_height = 10'000;

std::string time_of_day() {
  const auto now = std::time(nullptr);
  std::tm parts{};
  ::localtime_r(&now, &parts);
  char result[16];
  std::strftime(result, sizeof result, "%H:%M:%S", &parts);
  return result;
}

caf::expected<top_view> look(top_sampler& nodes) {
  auto view = nodes.look(steady_now);
  if (view)
    view->title = time_of_day();
  return view;
}

volatile std::sig_atomic_t interrupted = 0;

extern "C" void on_interrupt(int) { interrupted = 1; }

/// Signals that end us; what was there before comes back with the destructor.
class interrupts {
public:
  interrupts() {
    struct sigaction action {};
    action.sa_handler = on_interrupt; // no SA_RESTART: poll() has to return
    for (size_t i = 0; i < signals_.size(); ++i)
      ::sigaction(signals_[i], &action, &before_[i]);
  }

  ~interrupts() {
    for (size_t i = 0; i < signals_.size(); ++i)
      ::sigaction(signals_[i], &before_[i], nullptr);
  }

private:
  std::array<int, 3> signals_{SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, 3> before_{};
};

bool write_all(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto n = ::write(STDOUT_FILENO, bytes.data(), bytes.size());
    if (n > 0)
      bytes.remove_prefix(static_cast<size_t>(n));
    else if (errno != EINTR || interrupted)
      return false;
  }
  return true;
}

/// The other screen of a terminal, without echo and cursor, until the destructor.
class screen {
public:
  screen() : has_keys_(::tcgetattr(STDIN_FILENO, &before_) == 0) {
    if (has_keys_) {
      auto raw = before_;
      raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
      ::tcsetattr(STDIN_FILENO, TCSANOW, &raw);
    }
    write_all("\x1b[?1049h\x1b[?25l");
  }

  ~screen() {
    write_all("\x1b[?25h\x1b[?1049l");
    if (has_keys_)
      ::tcsetattr(STDIN_FILENO, TCSANOW, &before_);
  }

  screen(const screen&) = delete;
  screen& operator=(const screen&) = delete;

  bool has_keys() const { return has_keys_; }

  static bool draw(const top_view& view) {
    winsize size{};
    if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
      size = {24, 80, 0, 0};
    auto text = to_screen(view, size.ws_col, size.ws_row);
    std::string out = "\x1b[H";
    for (size_t at = 0; at < text.size();) {
      const auto end = text.find('\n', at);
      const auto last = end + 1 >= text.size();
      // Erases what was there before it writes: afterwards it would eat a last column.
      out.append(last ? "\x1b[J" : "\x1b[K").append(text, at, end - at).append(last ? "" : "\r\n");
      at = end + 1;
    }
    return write_all(out);
  }

private:
  termios before_{};
  bool has_keys_;
};

/// @returns whether to go on: no signal and no `q` came
bool wait(std::chrono::milliseconds time, bool keys) {
  const auto until = steady_now() + time;
  while (!interrupted) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - steady_now());
    if (left.count() <= 0)
      return true;
    pollfd in{STDIN_FILENO, POLLIN, 0};
    if (::poll(&in, keys ? 1 : 0, static_cast<int>(left.count())) <= 0 || !keys)
      continue;
    char key = 0;
    const auto n = ::read(STDIN_FILENO, &key, 1);
    if (n == 1 && key == 'q')
      return false;
    keys = n > 0; // the input has ended
  }
  return false;
}

ctl_status run_plain(top_sampler& nodes, const top_options& options, top_view view) {
  // A rate needs two looks; so has a single snapshot.
  while (wait(options.period, false)) {
    if (auto next = look(nodes))
      view = std::move(*next);
    if (!write_all(to_screen(view, plain_width, plain_height) + (options.once ? "" : "\n")) ||
        options.once)
      break;
  }
  return ctl_status::ok;
}

ctl_status run_screen(top_sampler& nodes, const top_options& options, top_view view) {
  const screen terminal;
  bool lost = false;
  do {
    if (lost)
      view.title = time_of_day() + " NO ANSWER";
    if (!screen::draw(view))
      break;
    if (!wait(options.period, terminal.has_keys()))
      break;
    auto next = look(nodes);
    lost = !next;
    if (next)
      view = std::move(*next);
  } while (!interrupted);
  return ctl_status::ok;
}

} // namespace

ctl_status run_top(const admin_client& client, const top_options& options, std::ostream& err) {
  interrupted = 0;
  const interrupts watching;
  std::signal(SIGPIPE, SIG_IGN); // a reader that goes is no failure
  top_sampler nodes{client};
  auto first = look(nodes);
  if (!first) {
    err << "caf-ctl: cannot reach the node: " << describe(first.error()) << std::endl;
    return ctl_status::unreachable;
  }
  const auto live = !options.once && ::isatty(STDOUT_FILENO) == 1;
  return live ? run_screen(nodes, options, std::move(*first))
              : run_plain(nodes, options, std::move(*first));
}

} // namespace caf_app
