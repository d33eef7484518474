// An h1_session without a connection: a transport that writes down what it is told, a clock that a
// test moves, and one site whose handlers answer at once, after the content, on request or never.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "actors/http/fixed_response.hpp"
#include "actors/http/h1_session.hpp"

namespace caf_app::http {

/// The far end of a session. `room` is what the kernel takes at once.
class fake_transport final : public transport {
public:
  void send(std::string_view bytes) override {
    if (over)
      throw std::logic_error{"sent after the end"};
    output += bytes;
    handed += bytes.size();
    const auto now = std::min<uint64_t>(room, bytes.size());
    room -= now;
    waiting += bytes.size() - now;
  }
  void send_file(std::string_view bytes, shared_file_ptr file, uint64_t offset,
                 uint64_t length) override {
    send(std::string{bytes} + "[" + std::to_string(offset) + "+" + std::to_string(length) + "]");
    const auto now = std::min(room, length);
    room -= now;
    waiting += length - now;
    handed += length;
    files.push_back(std::move(file));
  }
  ptrdiff_t read(const shared_file&, uint64_t offset, std::span<char> out) override {
    const auto rest = file_bytes - std::min(offset, file_bytes);
    const auto size = std::min<uint64_t>(rest, out.size());
    std::fill_n(out.begin(), size, 'f');
    return static_cast<ptrdiff_t>(size);
  }
  uint64_t queued() const override { return waiting; }
  uint64_t sent() const override { return handed - waiting; }
  void pause_reading() override { reading = false; }
  void resume_reading() override { reading = true; }
  void finish_output() override { finished = true; }
  void end(close_reason reason) override {
    if (over)
      throw std::logic_error{"ended twice"};
    over = reason;
    waiting = 0;
  }
  bool broken() const override { return reset; }
  bool has_input() const override { return input_waits; }
  connection_base* owner() override { return nullptr; }
  std::string_view peer() const override { return "192.0.2.1:4711"; }

  std::string output; ///< all that was sent
  uint64_t room = ~uint64_t{0};
  uint64_t waiting = 0;
  uint64_t handed = 0;
  uint64_t file_bytes = ~uint64_t{0}; ///< in every file, each an 'f'
  bool reading = true;
  bool finished = false;
  bool reset = false;
  bool input_waits = false;
  std::optional<close_reason> over;
  std::vector<shared_file_ptr> files; ///< in the output as "[offset+length]"
};

/// What the handlers of a world have seen and kept.
struct handler_books {
  std::map<std::string, exchange*> open; ///< requests to /later, by query
  size_t living = 0;                     ///< tasks
  size_t cancelled = 0;                  ///< tasks that ended without an answer
  std::string received;                  ///< content that tasks have seen
  bool pauses = false;                   ///< tasks take no more after what they get
};

class scripted_task final : public exchange_task {
public:
  enum class answers { after_content, at_first_byte, later };

  scripted_task(handler_books& books, exchange& open, answers when)
      : books_(books), open_(open), when_(when), query_(open.request().query) {
    ++books_.living;
  }
  ~scripted_task() override {
    --books_.living;
    if (when_ == answers::later && books_.open.erase(query_) > 0)
      ++books_.cancelled;
    else if (when_ != answers::later && !answered_)
      ++books_.cancelled;
  }
  void on_body(std::span<const char> bytes) override {
    books_.received.append(bytes.data(), bytes.size());
    content_.append(bytes.data(), bytes.size());
    if (when_ == answers::at_first_byte)
      answer("early");
    else if (books_.pauses)
      open_.pause_content();
  }
  void on_body_end() override {
    if (when_ == answers::later)
      books_.open[query_] = &open_;
    else
      answer(content_);
  }

private:
  void answer(std::string_view body) {
    answered_ = true;
    open_.respond({200, "text/plain", {}, body});
    content_ += "still here"; // a task may be used until its call returns
  }

  handler_books& books_;
  exchange& open_;
  answers when_;
  std::string query_;
  std::string content_;
  bool answered_ = false;
};

class scripted_handler final : public route_handler {
public:
  scripted_handler(std::string path, std::shared_ptr<handler_books> books)
      : path_(std::move(path)), books_(std::move(books)),
        fixed_(*fixed_response::make({200, "text/plain", {}, "fixed"}, "")) {}

  std::unique_ptr<exchange_task> start(exchange& open) const override {
    using answers = scripted_task::answers;
    if (path_ == "/echo")
      return task(open, answers::after_content);
    if (path_ == "/early")
      return task(open, answers::at_first_byte);
    if (path_ == "/later")
      return task(open, answers::later);
    if (path_ == "/throw")
      throw std::runtime_error{"a handler's bug"};
    if (path_ == "/fixed")
      open.respond(fixed_);
    else if (path_ == "/big")
      open.respond({200, "text/plain", {}, std::string(std::stoul(query(open)), '#')});
    else // what a handler may look at
      open.respond({200, "text/plain", {}, std::string{open.request().path} + "?" + query(open)});
    return nullptr;
  }

private:
  static std::string query(exchange& open) { return std::string{open.request().query}; }

  std::unique_ptr<exchange_task> task(exchange& open, scripted_task::answers when) const {
    return std::make_unique<scripted_task>(*books_, open, when);
  }

  std::string path_;
  std::shared_ptr<handler_books> books_;
  fixed_response fixed_;
};

class recording_log final : public access_log_sink {
public:
  void write(std::string line) override { lines.push_back(std::move(line)); }
  std::vector<std::string> lines;
};

/// A configuration with one site "a" and a route per kind of answer.
inline http_config scripted_config() {
  http_config config;
  config.server.clear();
  auto& site = config.site.emplace_back();
  site.host = {"a"};
  for (const auto* path :
       {"/now", "/fixed", "/big", "/echo", "/early", "/later", "/throw", "/get"}) {
    auto& route = site.route.emplace_back();
    route.path = route.name = path;
    route.kind = route_kind::actor; // any that leaves OPTIONS to its handler
    route.max_body = config.limits.max_body;
    if (route.path == "/get")
      route.methods = {"GET"};
  }
  return config;
}

/// Responses with their Date fields cut out. By hand here and below: std::regex takes 2 s to
/// compile in every suite that includes this.
inline std::string undated(std::string output) {
  for (size_t at = 0; (at = output.find("Date: ", at)) != std::string::npos;)
    output.erase(at, output.find("\r\n", at) + 2 - at);
  return output;
}

class session_world {
public:
  explicit session_world(const http_config& config = scripted_config())
      : context(make_table(config), std::make_shared<http_metrics>(*books), nullptr, 0, now) {
    connect();
  }
  ~session_world() { hang_up(); }

  site_table_ptr make_table(const http_config& config) {
    return *site_table::make(
        std::make_shared<http_config>(config), *books,
        [this](const route_entry& entry) -> caf::expected<std::unique_ptr<route_handler>> {
          return std::make_unique<scripted_handler>(entry.config.path, handlers);
        });
  }

  /// A new connection; the old one is gone.
  void connect() {
    hang_up();
    transport = std::make_unique<fake_transport>();
    session = std::make_unique<h1_session>(context, listener, *transport);
  }

  void hang_up() {
    if (!session)
      return;
    if (!transport->over)
      session->on_lost(close_reason::crashed);
    session->release();
    session.reset();
  }

  /// Bytes as the socket would hand them over, in memory of their own.
  void receive(std::string_view bytes) {
    const std::vector<char> copy(bytes.begin(), bytes.end());
    session->on_data(copy);
  }

  /// What was sent since the last call.
  std::string sent() { return undated(std::exchange(transport->output, {})); }

  /// The status lines of what was sent since the last call: "200 200 404".
  std::string statuses() {
    const auto text = sent();
    constexpr std::string_view version = "HTTP/1.1 ";
    std::string result;
    for (size_t at = 0; (at = text.find(version, at)) != std::string::npos; at += version.size())
      result += (result.empty() ? "" : " ") + text.substr(at + version.size(), 3);
    return result;
  }

  /// Why the connection ended, "open" if it did not.
  std::string ended() const {
    return transport->over ? std::string{to_string(*transport->over)} : "open";
  }

  uint64_t rejected(const std::string& reason) const {
    return static_cast<uint64_t>(metric("caf_http_rejected_total{reason=\"" + reason + "\"}"));
  }

  /// Answers the request to /later with `query`.
  void answer(const std::string& query, std::string_view body = "late") {
    const auto found = handlers->open.find(query);
    auto* open = found->second;
    handlers->open.erase(found);
    open->respond({200, "text/plain", {}, body});
  }

  /// The client takes `bytes` of what waits.
  void take(uint64_t bytes) {
    transport->waiting -= std::min(bytes, transport->waiting);
    if (transport->waiting == 0)
      session->on_drained();
  }

  void pass(steady::duration time) { now += time; }

  /// Calls on_deadline() as the timer would. @returns whether it was due
  bool tick() {
    if (now < session->deadline())
      return false;
    session->on_deadline();
    return true;
  }

  const http_limits& limits() const { return context.table->limits(); }

  /// The value of a sample of /metrics, by its whole name; 0 if there is none.
  double metric(const std::string& name) const {
    const auto text = books->exposition();
    const auto at = text.find("\n" + name + " ");
    return at == text.npos ? 0 : std::stod(text.substr(at + name.size() + 2));
  }

  steady::time_point now{std::chrono::hours{1}};
  metrics_ptr books = std::make_shared<metrics>();
  std::shared_ptr<handler_books> handlers = std::make_shared<handler_books>();
  loop_context context;
  listener_state listener;
  std::unique_ptr<fake_transport> transport;
  std::unique_ptr<h1_session> session;
};

/// A request of "a" to `target`.
inline std::string request(std::string_view method, std::string_view target,
                           std::string_view fields = "", std::string_view content = "") {
  std::string result{method};
  result.append(" ").append(target).append(" HTTP/1.1\r\nHost: a\r\n").append(fields);
  if (!content.empty())
    result.append("Content-Length: ").append(std::to_string(content.size())).append("\r\n");
  return result.append("\r\n").append(content);
}

inline std::string get(std::string_view target, std::string_view fields = "") {
  return request("GET", target, fields);
}

inline std::string post(std::string_view target, std::string_view content,
                        std::string_view fields = "") {
  return request("POST", target, fields, content);
}

} // namespace caf_app::http
