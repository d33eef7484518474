#define CAF_SUITE h2_exchange
#include "actors/http/h2_exchange.hpp"

#include <caf/test/unit_test.hpp>

#include "support/http/h2_connection_fixture.hpp"

using namespace caf_app;
using namespace caf_app::http;
using namespace std::chrono_literals;

namespace {

constexpr auto full = limits::http::direction_buffer_bytes;
const response plain{200, "text/plain", {}, {}};

/// What the tasks of a test have seen, and the exchange of the last request.
struct task_books {
  exchange* open = nullptr;
  std::string log; ///< "body(abc) trailers(x=1) end room gone "
  bool goes_on = false;
  bool invites = true;
};

class noting_task final : public exchange_task {
public:
  explicit noting_task(task_books& books) : books_(books) {}
  ~noting_task() override { books_.log += "gone "; }
  void on_body(std::span<const char> bytes) override {
    books_.log += "body(" + std::string{bytes.begin(), bytes.end()} + ") ";
  }
  void on_trailers(std::span<const owned_field> trailers) override {
    for (const auto& [name, value] : trailers)
      books_.log += "trailers(" + name + "=" + value + ") ";
  }
  void on_body_end() override { books_.log += "end "; }
  void on_room() override { books_.log += "room "; }
  bool works_on() const override { return books_.goes_on; }
  bool invites() const override { return books_.invites; }

private:
  task_books& books_;
};

class noting_handler final : public route_handler {
public:
  explicit noting_handler(std::shared_ptr<task_books> books) : books_(std::move(books)) {}
  std::unique_ptr<exchange_task> start(exchange& open) const override {
    books_->open = &open;
    return std::make_unique<noting_task>(*books_);
  }

private:
  std::shared_ptr<task_books> books_;
};

struct world : h2_world {
  world() {
    context.table = *site_table::make(
        std::make_shared<http_config>(scripted_config()), *books,
        [this](const route_entry&) -> caf::expected<std::unique_ptr<route_handler>> {
          return std::make_unique<noting_handler>(task);
        });
  }

  ~world() {
    connection->on_lost(close_reason::crashed);
    connection->release();
    task.reset();
  }

  /// A client that has waited for its 100 longer than content may take.
  exchange& wait_for_invitation() {
    task->invites = false;
    post(1, "/now", {{"expect", "100-continue"}});
    pass(2 * limits().body_timeout);
    due();
    CAF_REQUIRE_EQUAL(summary(), "");
    return *task->open;
  }

  exchange& ask(uint32_t stream = 1) {
    get(stream, "/now");
    return *task->open;
  }

  /// Runs `f` as an asynchronous answer would be given.
  template <class F>
  void answer(F f) {
    f(*task->open);
    connection->settle();
  }

  /// Content of a stream since the last call, and how it ended: "abc." "abc!CANCEL" "abc"
  std::string content(uint32_t stream = 1) {
    std::string result;
    for (const auto& each : frames()) {
      if (each.stream != stream)
        continue;
      if (each.type == h2::data)
        result += each.payload;
      if (each.type == h2::rst_stream)
        result += '!' + h2::code_name(h2::number(each.payload));
      else if (each.type != h2::window_update && (each.flags & h2::end_stream))
        result += '.';
    }
    return result;
  }

  std::string take_log() { return std::exchange(task->log, {}); }

  content_part part(uint64_t offset, uint64_t length, std::string before = {}) {
    return {std::move(before), nothing, offset, length};
  }

  std::shared_ptr<task_books> task = std::make_shared<task_books>();
  std::shared_ptr<int> owner = std::make_shared<int>();
  std::shared_ptr<const shared_file> nothing{owner,
                                             reinterpret_cast<const shared_file*>(owner.get())};
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(h2_exchange_tests, world)

  CAF_TEST(parts and files are sent in order) {
    ask();
    answer([&](exchange& open) {
      open.respond(plain, {part(0, 5, "head "), part(9, 3, " and "), {" tail", nullptr, 0, 0}});
    });
    CAF_CHECK_EQUAL(content(), "head fffff and fff tail.");
    CAF_CHECK(connection->idle());
    CAF_CHECK_EQUAL(metric("caf_http_sent_bytes_total{site=\"a\"}"), 23);
  }

  CAF_TEST(a file is read as the client takes it) {
    send(h2::window(0, 1 << 20));
    ask();
    frames();
    answer([&](exchange& open) { open.respond(plain, {part(0, 500'000)}); });
    auto got = content();
    CAF_CHECK_EQUAL(got.size(), 65'535u); // the window of the stream
    CAF_CHECK_EQUAL(metric("caf_http_requests_in_flight{state=\"write\"}"), 1);
    while (!got.ends_with('.')) {
      send(h2::window(1, 50'000));
      got += content();
    }
    CAF_CHECK_EQUAL(got.size(), 500'001u);
    CAF_CHECK_EQUAL(metric("caf_http_requests_in_flight{state=\"write\"}"), 0);
  }

  CAF_TEST(a file that is shorter than promised resets the stream) {
    far.file_bytes = 10;
    ask();
    answer([&](exchange& open) { open.respond(plain, {part(0, 11)}); });
    CAF_CHECK(content().ends_with("!INTERNAL_ERROR"));
    CAF_CHECK(connection->idle());
    CAF_CHECK_EQUAL(metric("caf_http_requests_in_flight{state=\"write\"}"), 0);
  }

  CAF_TEST(HEAD promises the length of parts and sends none) {
    send(h2::section(1, head("HEAD", "/now"), h2::end_stream));
    answer([&](exchange& open) { open.respond(plain, {part(0, 11)}); });
    CAF_CHECK_EQUAL(content(), ".");
  }

  CAF_TEST(content is streamed with trailers) {
    ask();
    answer([&](exchange& open) { open.begin(plain, {}); });
    answer([&](exchange& open) { open.write("first "); });
    CAF_CHECK_EQUAL(content(), "first ");
    const field sum{"x-sum", "1"};
    answer([&](exchange& open) {
      open.write("second");
      open.finish({&sum, 1});
    });
    CAF_CHECK_EQUAL(content(), "second."); // the end is that of the trailers
    CAF_CHECK_EQUAL(take_log(), "end gone ");
  }

  CAF_TEST(a full stream says so and tells when there is room) {
    send(h2::window(0, 1 << 20));
    ask();
    answer([&](exchange& open) {
      open.begin(plain, {});
      open.write(std::string(full, 'x')); // one byte more than the window
    });
    CAF_CHECK(task->open->has_room());
    answer([&](exchange& open) { open.write(std::string(full, 'y')); });
    CAF_CHECK(!task->open->has_room());
    take_log();
    send(h2::window(1, full / 4));
    CAF_CHECK(take_log().find("room") == std::string::npos); // not before half of it is gone
    send(h2::window(1, full / 2));
    CAF_CHECK_EQUAL(take_log(), "room ");
    answer([&](exchange& open) { open.abort(); });
  }

  CAF_TEST(a promised length is kept or the stream is reset) {
    ask(1);
    answer([&](exchange& open) {
      open.begin(plain, 5);
      open.write("123456");
      open.finish({}); // the task does not know yet
    });
    CAF_CHECK(content(1).ends_with("!INTERNAL_ERROR"));
    ask(3);
    answer([&](exchange& open) {
      open.begin(plain, 5);
      open.write("1234");
      open.finish({});
    });
    CAF_CHECK(content(3).ends_with("!INTERNAL_ERROR"));
    ask(5);
    answer([&](exchange& open) {
      open.begin(plain, 5);
      open.write("12345");
      open.finish({});
    });
    CAF_CHECK_EQUAL(content(5), "12345.");
    CAF_CHECK(connection->idle());
  }

  CAF_TEST(an abort is an INTERNAL_ERROR and counted once) {
    ask();
    answer([&](exchange& open) {
      open.begin(plain, {});
      open.write("half");
      open.abort();
    });
    CAF_CHECK(content().ends_with("!INTERNAL_ERROR"));
    CAF_CHECK_EQUAL(metric("caf_http_requests_total{site=\"a\",route=\"/now\",code_class=\"2xx\"}"),
                    1);
  }

  CAF_TEST(paused content waits and stalls its stream only) {
    post(1, "/now");
    frames();
    send(h2::body(1, "one", h2::none));
    CAF_CHECK_EQUAL(take_log(), "body(one) ");
    task->open->pause_content();
    send(h2::body(1, "two", h2::none) + h2::body(1, "three"));
    CAF_CHECK_EQUAL(take_log(), "");
    answer([](exchange& open) { open.resume_content(); });
    CAF_CHECK_EQUAL(take_log(), "body(twothree) end ");
  }

CAF_TEST(no window is given for content that nobody has taken) {
  post(1, "/now");
  frames();
  task->open->pause_content();
  for (auto i = 0; i < 3; ++i)
    send(h2::body(1, std::string(16'000, 'x'), h2::none));
  const auto given = [&] {
    size_t result = 0;
    for (const auto& each : frames())
      result += each.type == h2::window_update && each.stream == 1 ? h2::number(each.payload) : 0;
    return result;
  };
  CAF_CHECK_EQUAL(given(), 0u);
  pass(limits().body_timeout * 2); // it is not the client that is slow
  due();
  CAF_CHECK_EQUAL(rejected("slow_request"), 0u);
  answer([](exchange& open) { open.resume_content(); });
  CAF_CHECK_EQUAL(given(), 48'000u);
}

CAF_TEST(who waits for an invitation is not late) {
  wait_for_invitation();
  answer([](exchange& open) { open.invite(); });
  CAF_CHECK_EQUAL(summary(), "1:0");                  // the 100, which no table has
  pass(caf_app::limits::http::body_rate_grace - 1ms); // it has its whole time
  due();
  CAF_CHECK_EQUAL(summary(), "");
  pass(1ms);
  due();
  CAF_CHECK_EQUAL(rejected("slow_request"), 1u);
}

CAF_TEST(who has waited long for an invitation may send without one) {
  wait_for_invitation();
  send(h2::body(1, "a", h2::none));
  pass(caf_app::limits::http::body_rate_grace - 1ms);
  due();
  send(h2::body(1, "b"));
  CAF_CHECK_EQUAL(take_log(), "body(a) body(b) end ");
}

CAF_TEST(who was answered without an invitation is not late) {
  auto& open = wait_for_invitation();
  answer([](exchange& each) { each.begin(plain, 3); });
  pass(2 * limits().body_timeout);
  due();
  answer([&](exchange&) { open.write("end"), open.finish({}); });
  CAF_CHECK_EQUAL(rejected("slow_request"), 0u);
  CAF_CHECK_EQUAL(content(), "end.");
}

CAF_TEST(a pause takes no time from the client) {
  post(1, "/now");
  send(h2::body(1, std::string(10 * limits().body_min_rate, 'x'), h2::none)); // worth 10 s
  answer([](exchange& open) { open.pause_content(); });
  pass(1h);
  due();
  answer([](exchange& open) { open.resume_content(); });
  pass(9s);
  due();
  CAF_CHECK_EQUAL(rejected("slow_request"), 0u);
  pass(1s + 1ms);
  due();
  CAF_CHECK_EQUAL(rejected("slow_request"), 1u);
}

CAF_TEST(trailers come before the end) {
  post(1, "/now");
  send(h2::body(1, "abc", h2::none) + h2::section(1, {{"x-sum", "1"}}, h2::end_stream));
  CAF_CHECK_EQUAL(take_log(), "body(abc) trailers(x-sum=1) end ");
}

CAF_TEST(an interim response comes before the final one) {
  ask();
  answer([](exchange& open) { open.inform(103, {}); });
  auto heads = 0;
  for (const auto& each : frames())
    heads += each.type == h2::headers && (each.flags & h2::end_stream) == 0 ? 1 : 0;
  CAF_CHECK_EQUAL(heads, 1);
  answer([](exchange& open) { open.respond_status(204, {}); });
  CAF_CHECK_EQUAL(summary(), "1:204");
}

CAF_TEST(a field that HTTP does not know resets the stream) {
  ask();
  const field bad{"bad name", "1"};
  answer([&](exchange& open) { open.respond({200, "", {&bad, 1}, "x"}); });
  CAF_CHECK_EQUAL(summary(), "1:rst(INTERNAL_ERROR)");
  CAF_CHECK(connection->idle());
}

CAF_TEST(work that goes on keeps the place of its stream) {
  task->goes_on = true;
  ask();
  const auto id = task->open->id();
  send(h2::rst(1));
  CAF_CHECK_EQUAL(take_log(), "end gone ");
  CAF_CHECK(!connection->idle());
  CAF_CHECK(connection->find_open(id) == nullptr); // its end
  CAF_CHECK(connection->idle());
  ask(3);
  send(h2::rst(3));
  pass(5s - 1ms);
  due();
  CAF_CHECK(!connection->idle());
  pass(1ms);
  due();
  CAF_CHECK(connection->idle()); // it never told
}

CAF_TEST(an answer that comes too late is not wanted) {
  ask();
  const auto id = task->open->id();
  CAF_CHECK(connection->find_open(id) != nullptr);
  send(h2::rst(1));
  CAF_CHECK(connection->find_open(id) == nullptr);
  CAF_CHECK(connection->find_open(id + 1) == nullptr);
}

CAF_TEST_FIXTURE_SCOPE_END()
