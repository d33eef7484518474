#define CAF_SUITE fleet_actor
#include "actors/scaler/fleet_actor.hpp"

#include "actors/scaler/remote_fleet.hpp"
#include "caf_app/base/time.hpp"
#include "caf_app/messages/json.hpp"

#include "support/actor_fixture.hpp"

using namespace caf_app;
using namespace caf_app::scaler;
using namespace std::chrono_literals;

namespace {

/// Writes down what it is told.
class noting_fleet final : public instance_fleet {
public:
  void on_news(std::function<void()>) override {}
  host_sample host(steady::time_point now) override {
    return {now, 2, std::nullopt, std::nullopt, std::nullopt};
  }
  std::vector<instance_status> list() override {
    return {{"n", 1, "7", instance_state::ready, steady_now()}};
  }
  std::vector<web_sample> samples() override { return {}; }
  fleet_events take_events() override { return {}; }
  void launch() override { log += "launch "; }
  void retire(const std::string& name) override { log += "retire " + name + ' '; }
  void revoke(const std::string& name) override { log += "revoke " + name + ' '; }
  void replace(const std::string& name) override { log += "replace " + name + ' '; }
  void nudge(const std::string& name, size_t count) override {
    log += "nudge " + name + ' ' + std::to_string(count) + ' ';
  }
  void attract(const std::string& name, std::chrono::milliseconds window) override {
    log += "attract " + name + ' ' + std::to_string(window.count()) + ' ';
  }

  std::string log;
};

struct fixture : actor_fixture {
  fixture() {
    testee = sys.spawn(fleet_actor, fleet_actor_options{fleet, board, [this] { return master; }});
    far.speak_through([this](const json_request& order) { ask(order); });
  }
  ~fixture() override { end(testee, caf::exit_reason::kill); }

  /// The reply, or the code of the error.
  std::string ask(const json_request& order) {
    std::string result;
    auto handle = self->request(testee, 60min, order);
    consume_messages();
    handle.receive([&](const json_reply& x) { result = x.value; },
                   [&](const caf::error& why) { result = to_string(code_of(why)); });
    return result;
  }

  caf::actor master = caf::actor_cast<caf::actor>(self);
  std::shared_ptr<noting_fleet> fleet = std::make_shared<noting_fleet>();
  std::shared_ptr<scaler_board> board = std::make_shared<scaler_board>(scaler_options{}, 3);
  remote_fleet far;
  caf::actor testee;
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(fleet_actor_tests, fixture)

  CAF_TEST(orders arrive as they were given) {
    far.launch();
    far.retire("n.2");
    far.revoke("n.2");
    far.replace("n.3");
    far.nudge("n", 12);
    far.attract("n.2", 2s);
    CAF_CHECK_EQUAL(fleet->log,
                    "launch retire n.2 revoke n.2 replace n.3 nudge n 12 attract n.2 2000 ");
  }

  CAF_TEST(only the holder of the name is heard) {
    master = nullptr;
    CAF_CHECK_EQUAL(ask({"look", "null"}), to_string(errc::denied));
    far.launch();
    master = sys.spawn([](caf::event_based_actor*) { return caf::behavior{[](int) {}}; });
    CAF_CHECK_EQUAL(ask({"look", "null"}), to_string(errc::denied));
    far.launch();
    CAF_CHECK_EQUAL(fleet->log, "");
    end(master, caf::exit_reason::kill);
  }

  CAF_TEST(a report has the instances and what was written down for them) {
    CAF_REQUIRE(!board->pin(2));
    scaler_board mine{scaler_options{}, 9};
    CAF_CHECK(far.take(ask({"look", "null"}), mine, steady_now()));
    const auto list = far.list();
    CAF_REQUIRE_EQUAL(list.size(), 1u);
    CAF_CHECK_EQUAL(list[0].name, "n");
    CAF_CHECK_EQUAL(mine.max_instances(), 3u);
    CAF_CHECK(mine.pinned() == std::optional<size_t>{2});
    CAF_CHECK(!far.take("{}", mine, steady_now()));
  }

  CAF_TEST(what the scaler shows is seen where the instances are) {
    scaler_board mine{scaler_options{}, 3};
    mine.show(R"({"wanted":1})", {R"({"seq":1})"});
    far.show(mine);
    mine.show(R"({"wanted":2})", {R"({"seq":2})"});
    far.show(mine);
    CAF_CHECK_EQUAL(board->state(), R"({"wanted":2})");
    CAF_CHECK_EQUAL(board->decisions(), R"([{"seq":1},{"seq":2}])");
  }

  CAF_TEST(orders that are none do nothing) {
    for (const auto& bad :
         {json_request{"dance", R"({"name":"n","number":1})"}, json_request{"retire", "{}"},
          json_request{"nudge", "nonsense"}, json_request{"nudge", R"({"name":"n","number":-1})"},
          json_request{"show", R"({"lines":[1],"state":"{}"})"}})
      CAF_CHECK_EQUAL(ask(bad), to_string(errc::invalid_argument));
    CAF_CHECK_EQUAL(fleet->log, "");
    CAF_CHECK_EQUAL(board->state(), "{}");
  }

  CAF_TEST_FIXTURE_SCOPE_END()
