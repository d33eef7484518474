// The scaler of an evaluator, its keeper and a made-up dispatcher talk to each other.
#define CAF_SUITE eval_scaler_actor
#include "actors/scaler/eval_scaler_actor.hpp"

#include <boost/json.hpp>

#include "actors/scaler/eval_keeper_actor.hpp"
#include "caf_app/base/error.hpp"
#include "caf_app/messages/json.hpp"

#include "support/actor_fixture.hpp"

using namespace caf_app;
using namespace caf_app::scaler;
using namespace std::chrono_literals;

namespace {

/// What a dispatcher would say and do.
struct workshop {
  uint64_t workers = 1;
  uint64_t wanted = 0; // calls that run or wait
  double busy_us = 0;
  std::vector<std::string> orders;

  std::string load(steady::duration passed) {
    const auto busy = std::min<uint64_t>(wanted, workers);
    busy_us +=
        static_cast<double>(busy) * std::chrono::duration<double, std::micro>(passed).count();
    return boost::json::serialize(boost::json::object{{"workers", workers},
                                                      {"starting", 0},
                                                      {"unbound", 0},
                                                      {"bound", workers - busy},
                                                      {"busy", busy},
                                                      {"queue", wanted - busy},
                                                      {"queue_max", 64},
                                                      {"calls", 0},
                                                      {"rejected", 0},
                                                      {"busy_us", busy_us},
                                                      {"wait_p50_us", wanted > busy ? 9e6 : 0.0},
                                                      {"wait_p99_us", nullptr},
                                                      {"service_p50_us", 1e6},
                                                      {"service_mean_us", 1e6},
                                                      {"compiling", 0},
                                                      {"pids", boost::json::array{}}});
  }
};

struct fixture : actor_fixture {
  fixture() {
    options.eval = {true, 1, 4};
    options.quiet_window = 2s;
    options.down_cooldown = 1s;
    mine = std::make_shared<scaler_board>(options, size_t{1});
    theirs = std::make_shared<scaler_board>(options, size_t{1});
    dispatcher = sys.spawn([this](caf::event_based_actor*) -> caf::behavior {
      return {[this](const json_request& x) -> caf::result<json_reply> {
        if (x.method == "load")
          return json_reply{shop->load(options.period)};
        shop->orders.push_back(x.params);
        if (x.params != "null")
          shop->workers = std::stoul(x.params);
        return json_reply{x.params};
      }};
    });
    eval_keeper_options keeping;
    keeping.dispatcher = [this] { return dispatcher; };
    keeping.master = [this] { return master; };
    keeping.board = theirs;
    keeping.host = [](steady::time_point now) {
      return host_sample{now, 2, std::nullopt, std::nullopt, 1ULL << 30};
    };
    keeping.times = [](int) { return std::nullopt; };
    keeping.now = [this] { return sched.clock().now(); };
    keeper = sys.spawn(eval_keeper_actor, keeping);
    eval_scaler_options scaling;
    scaling.brain.target = "eval/e1";
    scaling.brain.board = mine;
    scaling.brain.books = std::make_shared<metrics>();
    scaling.brain.log = make_logger({});
    scaling.owns = [this](const caf::actor& self) { return self == master; };
    scaling.keeper = [this] { return keeper; };
    scaling.tell = [this](const eval_load& load, steady::time_point) { told = load; };
    scaling.now = keeping.now;
    testee = sys.spawn(eval_scaler_actor, scaling);
    master = testee;
  }

  ~fixture() override {
    for (const auto& each : {testee, keeper, dispatcher})
      if (each)
        end(each, caf::exit_reason::kill);
    master = nullptr;
  }

  /// The reply of the keeper, or the code of its error.
  std::string ask(const json_request& order) {
    std::string result;
    auto handle = self->request(keeper, 60min, order);
    consume_messages();
    handle.receive([&](const json_reply& x) { result = x.value; },
                   [&](const caf::error& why) { result = to_string(code_of(why)); });
    return result;
  }

  scaler_options options;
  std::shared_ptr<workshop> shop = std::make_shared<workshop>();
  std::shared_ptr<scaler_board> mine;
  std::shared_ptr<scaler_board> theirs;
  eval_load told;
  caf::actor dispatcher;
  caf::actor keeper;
  caf::actor testee;
  caf::actor master;
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(eval_scaler_actor_tests, fixture)

  CAF_TEST(a queue gets workers and an idle evaluator gives them back) {
    shop->wanted = 30;
    pass(20s);
    CAF_CHECK_EQUAL(shop->workers, 4u);
    CAF_CHECK_EQUAL(told.queue, 26u);
    CAF_CHECK(told.at_max);
    shop->wanted = 0;
    pass(20s);
    CAF_CHECK_EQUAL(shop->workers, 1u);
    CAF_CHECK((shop->orders == std::vector<std::string>{"2", "3", "4", "3", "2", "1"}));
    CAF_CHECK(!told.at_max);
  }

  CAF_TEST(what was decided is seen at the node of the evaluator) {
    shop->wanted = 30;
    pass(5s);
    CAF_CHECK(theirs->state().find(R"("target":"eval/e1")") != std::string::npos);
    CAF_CHECK_EQUAL(theirs->decisions(), mine->decisions());
    CAF_CHECK(theirs->decisions().find(R"("action":"grow")") != std::string::npos);
  }

  CAF_TEST(only the holder of the name is obeyed and whoever wants to may look) {
    pass(1s);
    CAF_CHECK_EQUAL(ask({"workers", "4"}), to_string(errc::denied));
    CAF_CHECK_EQUAL(ask({"show", "{}"}), to_string(errc::denied));
    CAF_CHECK(ask({"look", "null"}).find("\"max\":1") != std::string::npos);
    CAF_CHECK(shop->orders.empty());
  }

  CAF_TEST(who does not hold the name watches) {
    master = nullptr;
    shop->wanted = 30;
    pass(10s);
    CAF_CHECK(shop->orders.empty());
    CAF_CHECK_EQUAL(told.queue, 29u);
    CAF_CHECK_EQUAL(theirs->decisions(), "[]");
    CAF_CHECK(mine->decisions().find("not_owner") != std::string::npos);
    master = testee; // the other one is gone
    pass(10s);
    CAF_CHECK_EQUAL(shop->workers, 4u);
  }

  CAF_TEST(orders that are none are refused) {
    master = caf::actor_cast<caf::actor>(self);
    for (const auto& bad : {json_request{"dance", "null"}, json_request{"show", "nonsense"},
                            json_request{"show", R"({"lines":[1],"state":"{}"})"}})
      CAF_CHECK_EQUAL(ask(bad), to_string(errc::invalid_argument));
    CAF_CHECK_EQUAL(ask({"workers", "3"}), "3"); // the dispatcher checks the number
    dispatcher = nullptr;
    CAF_CHECK_EQUAL(ask({"workers", "3"}), to_string(errc::noproc));
  }

  CAF_TEST(turned off it gives the evaluator back what its section says) {
    shop->wanted = 30;
    pass(5s);
    shop->orders.clear();
    options.eval.enabled = false;
    mine->configure(options, 1);
    pass(5s);
    CAF_CHECK((shop->orders == std::vector<std::string>{"null"}));
    CAF_CHECK(told.at_max);
    CAF_CHECK(theirs->state().find(R"("enabled":false)") != std::string::npos);
  }

  CAF_TEST(a dispatcher that does not answer leaves all as it is) {
    shop->wanted = 30;
    pass(3s);
    const auto before = shop->workers;
    end(dispatcher, caf::exit_reason::kill);
    pass(10s);
    CAF_CHECK_EQUAL(shop->workers, before);
    CAF_CHECK(mine->state().find("samples_stale") != std::string::npos);
  }

  CAF_TEST_FIXTURE_SCOPE_END()
