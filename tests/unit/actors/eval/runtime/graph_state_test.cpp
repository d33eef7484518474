#define CAF_SUITE graph_state
#include "caf_app/eval/graph_state.hpp"

#include <caf/test/unit_test.hpp>

#include "support/eval_graphs.hpp"

using namespace eval_test;

namespace {

/// a -> positive -> ticking producer -> sum, with a wake-up and queued values.
struct busy : graph {
  busy() {
    auto a = input("a");
    auto p = apply(first, {a});
    auto s = apply(source, {p});
    apply(last, {s});
    fresh(R"({"inputs":{"a":1},"now":1000})");
    first.calls = source.calls = last.calls = 0;
  }

  /// Calls with a changed state. @returns the fault, "none" if it was accepted
  std::string with(const std::string& from, const std::string& to) {
    auto text = to_text(state);
    const auto at = text.find(from);
    if (at == std::string::npos)
      return "nothing to change";
    text.replace(at, from.size(), to);
    auto reply = step("{\"now\":1000,\"state\":" + text + "}");
    auto fault = reply.find("fault");
    return fault ? *fault->if_string() : "none";
  }

  int calls() const { return first.calls + source.calls + last.calls; }

  fake_function& first = positive();
  fake_function& source =
      producer("source", 1, [](const ints&, int64_t now, std::optional<int64_t>) {
        run result{{}, 7, now + 10, {}};
        for (int i = 0; i < 259; ++i)
          result.values.push_back(i);
        return result;
      });
  fake_function& last = sum(1);
};

} // namespace

CAF_TEST(a state shows everything that a later call needs) {
  busy g;
  CAF_CHECK_EQUAL(to_text(g.state),
                  R"({"contract":"caf_app.graph/1","build":"build-1","graph":"g","identity":null,)"
                  R"("now":1000,"outcomes":[{"output":1},{"output":1},{"output":256},)"
                  R"({"output":256}],"continuations":[{"id":2,"at":1010,"continuation":7}],)"
                  R"("pending":[{"id":2,"value":257},{"id":2,"value":258}]})");
}

CAF_TEST(a state goes on where it stopped) {
  busy g;
  CAF_CHECK_EQUAL(changed(g.step(R"({"now":1000})")), "2=257, 3=257, 2=258, 3=258");
}

CAF_TEST(a changed state is refused and nothing ran) {
  busy g;
  const std::string values = "state: outcomes[0]";
  const std::string wakeup = "state: continuations[0]";
  const std::string pending = "state: pending[0]: expected the id of a producer that ran, and a "
                              "value";
  const std::string who = ": id does not name a producer that ran, or not for the first time";
  const std::string shape = ": expected an output, a text of an error or a skip";
  const struct {
    const char* from;
    const char* to;
    std::string fault;
  } cases[] = {
      {"graph/1", "graph/2", "state: it is a state of another contract"},
      {"\"build-1\"", "\"build-2\"", "state: it is a state of another build"},
      {"\"build-1\"", "null", "state: it is a state of another build"},
      {"\"graph\":\"g\"", "\"graph\":\"h\"", "state: it is a state of another graph"},
      {"\"graph\":\"g\",", "", "state: it is a state of another graph"},
      {"\"identity\":null", "\"identity\":1", "state: identity: expected an object or null"},
      {"\"now\":1000", "\"now\":1e3", "state: now: expected an integer from 0 to 2^53-1"},
      {"\"now\":1000", "\"now\":-1", "state: now: expected an integer from 0 to 2^53-1"},
      {"\"now\":1000", "\"now\":2000", "now: 1000 is before the state's now, 2000"},
      {"[{\"output\":1},", "[", "state: outcomes: expected an array of 4"},
      {"[{\"output\":1},", "[null,null,", "state: outcomes: expected an array of 4"},
      {"\"outcomes\"", "\"outcome\"", "state: outcomes: expected an array of 4"},
      {"[{\"output\":1}", "[{\"output\":\"1\"}", values + ": expected an integer, got \"1\""},
      {"[{\"output\":1}", "[{\"output\":1,\"error\":\"x\"}",
       values + ": expected null or an object with one of output, error, skipped"},
      {"[{\"output\":1}", "[7",
       values + ": expected null or an object with one of output, error, skipped"},
      {"[{\"output\":1}", "[{\"error\":5}", values + shape},
      {"[{\"output\":1}", "[{\"value\":5}", values + shape},
      {"[{\"output\":1}", "[{\"skipped\":0}", values + ": skipped does not name an argument"},
      {"{\"output\":256}],", "{\"skipped\":1}],",
       "state: outcomes[3]: skipped does not name an argument"},
      {"\"continuations\":[", "\"continuations\":[{\"id\":1,\"at\":1}", wakeup + who},
      {"\"id\":2,\"at\"", "\"id\":9,\"at\"", wakeup + who},
      {"\"id\":2,\"at\"", "\"id\":2.0,\"at\"", wakeup + who},
      {"\"at\":1010", "\"at\":null", wakeup + ".at: expected a time"},
      {"\"at\":1010,", "", wakeup + ".at: expected a time"},
      {"\"continuation\":7", "\"continuation\":\"x\"",
       wakeup + ".continuation: expected an integer, got \"x\""},
      {"\"continuations\":[", "\"continuations\":[{\"id\":2,\"at\":1},",
       "state: continuations[1]" + who},
      {"\"continuations\":[", "\"continuations\":{}, \"other\":[",
       "state: continuations: expected an array"},
      {"\"pending\":[{\"id\":2", "\"pending\":[{\"id\":3", pending},
      {"\"pending\":[{\"id\":2,\"value\":257}", "\"pending\":[{\"id\":2}", pending},
      {"\"value\":257", "\"value\":true", "state: pending[0].value: expected an integer, got true"},
      {"[{\"output\":1},{\"output\":1}", "[{\"output\":1},{\"error\":\"x\"}", wakeup + who},
      {"\"pending\"", "\"waiting\"", "state: pending: expected an array"},
  };
  for (auto& c : cases) {
    auto text = std::string{c.from};
    auto to = std::string{c.to};
    if (to.ends_with("\"at\":1}"))
      to += ","; // a new first entry
    CAF_CHECK_EQUAL(g.with(text, to), c.fault);
  }
  CAF_CHECK_EQUAL(g.calls(), 0);
}

CAF_TEST(unknown members and another order of members are accepted) {
  busy g;
  CAF_CHECK_EQUAL(g.with("{\"contract\"", "{\"mac\":\"00\",\"contract\""), "none");
  busy h;
  CAF_CHECK_EQUAL(h.with("\"id\":2,\"value\":257", "\"value\":257,\"id\":2"), "none");
}

CAF_TEST(a state that is no object is refused and null means none) {
  busy g;
  for (auto state : {"1", "[]", "\"x\"", "false"})
    CAF_CHECK_EQUAL(changed(g.step(std::string{"{\"state\":"} + state + "}")),
                    "fault: state: expected an object");
  CAF_CHECK_EQUAL(changed(g.step(R"({"state":null,"inputs":{"a":-1}})")),
                  "0=-1, 1=!negative, 2=skip 1, 3=skip 2");
}

CAF_TEST(an identity is kept and another one is refused) {
  busy g;
  g.context.identity = parse(R"({"org_id":"acme","user_id":"u"})");
  auto reply = g.step(R"({"now":1000})"); // the state had none
  CAF_CHECK_EQUAL(to_text(*reply.find("state")->find("identity")),
                  R"({"org_id":"acme","user_id":"u"})");
  g.context.identity = parse(R"({"user_id":"u","org_id":"acme"})");
  CAF_CHECK_EQUAL(changed(g.step(R"({"now":1000})")), "");
  g.context.identity = parse(R"({"org_id":"other","user_id":"u"})");
  CAF_CHECK_EQUAL(changed(g.step(R"({"now":1000})")),
                  "fault: state: it is a state of another identity");
}

CAF_TEST(times are integers from 0 to 2 ^ 53 - 1) {
  CAF_CHECK(read_time(parse("0")) == 0);
  CAF_CHECK(read_time(parse("9007199254740991")) == time_max_ms);
  for (auto text :
       {"-1", "9007199254740992", "1.0", "1e3", "\"1\"", "null", "99999999999999999999"})
    CAF_CHECK(!read_time(parse(text)));
}
