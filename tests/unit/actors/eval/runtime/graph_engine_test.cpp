#define CAF_SUITE graph_engine
#include "caf_app/eval/graph_engine.hpp"

#include <caf/test/unit_test.hpp>

#include "support/eval_graphs.hpp"

using namespace eval_test;

namespace {

/// a -> left, right -> join
struct diamond : graph {
  diamond() {
    a = input("a");
    b = apply(left, {a});
    c = apply(right, {a});
    d = apply(join, {b, c});
  }
  fake_function& left = sum(1);
  fake_function& right = sum(1);
  fake_function& join = sum(2);
  size_t a, b, c, d;
};

struct chain : graph {
  chain() {
    auto a = input("a");
    auto p = apply(first, {a});
    apply(second, {p});
  }
  fake_function& first = positive();
  fake_function& second = sum(1);
};

/// a, b -> positive(a) -> sum(positive, b)
struct two_inputs : graph {
  two_inputs() {
    auto a = input("a");
    auto b = input("b");
    auto p = apply(positive(), {a});
    apply(join, {p, b});
  }
  fake_function& join = sum(2);
};

/// A producer of one argument that gives what the test says.
struct produced_by : graph {
  explicit produced_by(fake_function::producing how)
      : source(producer("source", 1, std::move(how))) {
    auto a = input("a");
    auto s = apply(source, {a});
    apply(reader, {s});
  }
  fake_function& source;
  fake_function& reader = sum(1);
};

/// Gives the argument and counts up every 10 ms.
run counting(const ints& in, int64_t now, std::optional<int64_t> resume) {
  const auto at = resume.value_or(in[0]);
  return {{at}, at + 1, now + 10, {}};
}

} // namespace

CAF_TEST(a join runs once after both branches) {
  diamond g;
  CAF_CHECK_EQUAL(changed(g.fresh(R"({"inputs":{"a":2}})")), "0=2, 1=2, 2=2, 3=4");
  CAF_CHECK_EQUAL(g.join.calls, 1);
}

CAF_TEST(a changed input runs what depends on it) {
  diamond g;
  g.fresh(R"({"inputs":{"a":2}})");
  CAF_CHECK_EQUAL(changed(g.step(R"({"inputs":{"a":3}})")), "0=3, 1=3, 2=3, 3=6");
}

CAF_TEST(an input equal to its stored value is not fed) {
  diamond g;
  g.fresh(R"({"inputs":{"a":2}})");
  CAF_CHECK_EQUAL(changed(g.step(R"({"inputs":{"a":2}})")), "");
  CAF_CHECK_EQUAL(g.left.calls, 1);
}

CAF_TEST(without state an input is fed whatever it is) {
  diamond g;
  g.fresh(R"({"inputs":{"a":2}})");
  g.fresh(R"({"inputs":{"a":2}})");
  CAF_CHECK_EQUAL(g.left.calls, 2);
}

CAF_TEST(a call without inputs changes nothing) {
  diamond g;
  CAF_CHECK_EQUAL(changed(g.fresh("{}")), "");
  CAF_CHECK_EQUAL(nodes(g.step("{}")), "-, -, -, -");
}

CAF_TEST(a node waits for an argument that was never set) {
  two_inputs g;
  CAF_CHECK_EQUAL(changed(g.fresh(R"({"inputs":{"a":1}})")), "0=1, 2=1");
  CAF_CHECK_EQUAL(g.join.calls, 0);
  CAF_CHECK_EQUAL(changed(g.step(R"({"inputs":{"b":5}})")), "1=5, 3=6");
}

CAF_TEST(inputs are fed in the order of the request each a full pass) {
  two_inputs g;
  CAF_CHECK_EQUAL(changed(g.fresh(R"({"inputs":{"b":5,"a":1}})")), "1=5, 0=1, 2=1, 3=6");
  CAF_CHECK_EQUAL(changed(g.step(R"({"inputs":{"a":2,"b":6}})")), "0=2, 2=2, 3=7, 1=6, 3=8");
  CAF_CHECK_EQUAL(g.join.calls, 3);
}

CAF_TEST(an error stops its branch and skips cascade) {
  chain g;
  g.apply(g.sum(1), {2});
  CAF_CHECK_EQUAL(changed(g.fresh(R"({"inputs":{"a":-1}})")),
                  "0=-1, 1=!negative, 2=skip 1, 3=skip 2");
  CAF_CHECK_EQUAL(g.second.calls, 0);
}

CAF_TEST(a skip names the first argument that failed or was skipped) {
  graph g;
  auto a = g.input("a");
  auto b = g.input("b");
  auto good = g.apply(g.positive(), {a});
  auto bad = g.apply(g.positive(), {b});
  g.apply(g.sum(3), {good, bad, bad});
  g.apply(g.sum(2), {bad, good});
  CAF_CHECK_EQUAL(changed(g.fresh(R"({"inputs":{"a":1,"b":-1}})")),
                  "0=1, 2=1, 1=-1, 3=!negative, 4=skip 3, 5=skip 3");
  CAF_CHECK_EQUAL(changed(g.step(R"({"inputs":{"a":-1}})")), "0=-1, 2=!negative, 4=skip 2");
}

CAF_TEST(waiting comes before skipping) {
  two_inputs g;
  CAF_CHECK_EQUAL(changed(g.fresh(R"({"inputs":{"a":-1}})")), "0=-1, 2=!negative");
  CAF_CHECK_EQUAL(changed(g.step(R"({"inputs":{"b":1}})")), "1=1, 3=skip 2");
}

CAF_TEST(other branches go on after an error) {
  graph g;
  auto a = g.input("a");
  g.apply(g.positive(), {a});
  g.apply(g.sum(1), {a});
  CAF_CHECK_EQUAL(changed(g.fresh(R"({"inputs":{"a":-1}})")), "0=-1, 1=!negative, 2=-1");
}

CAF_TEST(a later good value repairs what was skipped) {
  chain g;
  g.fresh(R"({"inputs":{"a":-1}})");
  CAF_CHECK_EQUAL(changed(g.step(R"({"inputs":{"a":1}})")), "0=1, 1=1, 2=1");
}

CAF_TEST(the same error twice is not listed) {
  chain g;
  g.fresh(R"({"inputs":{"a":-1}})");
  CAF_CHECK_EQUAL(changed(g.step(R"({"inputs":{"a":-2}})")), "0=-2");
}

CAF_TEST(a node that comes out equal is not listed but its dependents run) {
  graph g;
  auto a = g.input("a");
  auto& half = g.function("half", 1, [](effect_port&, const ints& in) { return value(in[0] / 2); });
  auto& reader = g.sum(1);
  g.apply(reader, {g.apply(half, {a})});
  g.fresh(R"({"inputs":{"a":4}})");
  CAF_CHECK_EQUAL(changed(g.step(R"({"inputs":{"a":5}})")), "0=5");
  CAF_CHECK_EQUAL(reader.calls, 2);
}

CAF_TEST(cutoff stops at a node that comes out equal) {
  graph g;
  g.plan.cutoff = true;
  auto a = g.input("a");
  auto& half = g.function("half", 1, [](effect_port&, const ints& in) { return value(in[0] / 2); });
  auto& reader = g.sum(1);
  g.apply(reader, {g.apply(half, {a})});
  g.fresh(R"({"inputs":{"a":4}})");
  CAF_CHECK_EQUAL(changed(g.step(R"({"inputs":{"a":5}})")), "0=5");
  CAF_CHECK_EQUAL(reader.calls, 1);
  CAF_CHECK_EQUAL(changed(g.step(R"({"inputs":{"a":6}})")), "0=6, 1=3, 2=3");
}

CAF_TEST(cutoff stops at an equal error too) {
  chain g;
  g.plan.cutoff = true;
  g.fresh(R"({"inputs":{"a":-1}})");
  CAF_CHECK_EQUAL(changed(g.step(R"({"inputs":{"a":-2}})")), "0=-2");
  CAF_CHECK_EQUAL(changed(g.step(R"({"inputs":{"a":2}})")), "0=2, 1=2, 2=2");
}

CAF_TEST(constants run first each a pass of its own in node order) {
  graph g;
  auto a = g.input("a");
  auto& one = g.function("one", 0, [](effect_port&, const ints&) { return value(1); });
  auto& two = g.function("two", 0, [](effect_port&, const ints&) { return value(2); });
  auto x = g.apply(one, {});
  auto s = g.apply(g.sum(1), {x});
  auto y = g.apply(two, {});
  auto t = g.apply(g.sum(2), {s, y});
  g.apply(g.sum(2), {t, a});
  CAF_CHECK_EQUAL(changed(g.fresh(R"({"inputs":{"a":5}})")), "1=1, 2=1, 3=2, 4=3, 0=5, 5=8");
}

CAF_TEST(constants do not run again with state) {
  graph g;
  auto& one = g.function("one", 0, [](effect_port&, const ints&) { return value(1); });
  g.apply(one, {});
  g.fresh("{}");
  CAF_CHECK_EQUAL(changed(g.step("{}")), "");
  CAF_CHECK_EQUAL(one.calls, 1);
}

CAF_TEST(the first value of a producer goes out at once and the rest queue) {
  produced_by g{[](const ints& in, int64_t, std::optional<int64_t>) {
    return run{{in[0], in[0] + 1, in[0] + 2}, {}, {}, {}};
  }};
  CAF_CHECK_EQUAL(changed(g.fresh(R"({"inputs":{"a":5}})")), "0=5, 1=5, 2=5, 1=6, 2=6, 1=7, 2=7");
  CAF_CHECK_EQUAL(next_call(g.step("{}")), "null");
}

CAF_TEST(queued values go out after all inputs) {
  graph g;
  auto a = g.input("a");
  g.input("b");
  auto& source = g.producer("p", 1, [](const ints& in, int64_t, std::optional<int64_t>) {
    return run{{in[0], in[0] + 1}, {}, {}, {}};
  });
  g.apply(source, {a});
  CAF_CHECK_EQUAL(changed(g.fresh(R"({"inputs":{"a":1,"b":9}})")), "0=1, 2=1, 1=9, 2=2");
}

CAF_TEST(the queues of all producers are one first in first out) {
  graph g;
  auto a = g.input("a");
  auto& twice = g.producer("p", 1, [](const ints& in, int64_t, std::optional<int64_t>) {
    return run{{in[0], in[0] + 1, in[0] + 2}, {}, {}, {}};
  });
  g.apply(twice, {a});
  g.apply(twice, {a});
  CAF_CHECK_EQUAL(changed(g.fresh(R"({"inputs":{"a":0}})")), "0=0, 1=0, 2=0, 1=1, 1=2, 2=1, 2=2");
}

CAF_TEST(a wake - up passes the continuation and the actual now) {
  int64_t seen = 0;
  produced_by g{[&](const ints& in, int64_t now, std::optional<int64_t> resume) {
    seen = now;
    return counting(in, now, resume);
  }};
  auto reply = g.fresh(R"({"inputs":{"a":5},"now":1000})");
  CAF_CHECK_EQUAL(changed(reply), "0=5, 1=5, 2=5");
  CAF_CHECK_EQUAL(next_call(reply), "1010");
  CAF_CHECK_EQUAL(changed(g.step(R"({"now":1009})")), "");
  CAF_CHECK_EQUAL(changed(g.step(R"({"now":1010})")), "1=6, 2=6");
  CAF_CHECK_EQUAL(seen, 1010);
}

CAF_TEST(a late wake - up is one run) {
  produced_by g{counting};
  g.fresh(R"({"inputs":{"a":5},"now":1000})");
  auto reply = g.step(R"({"now":1500})");
  CAF_CHECK_EQUAL(changed(reply), "1=6, 2=6");
  CAF_CHECK_EQUAL(next_call(reply), "1510");
}

CAF_TEST(due wake - ups run by time and then by node) {
  graph g;
  auto a = g.input("a");
  auto at = [&](int64_t when) -> fake_function& {
    return g.producer("p", 1, [when](const ints&, int64_t, std::optional<int64_t> resume) {
      return resume ? run{{9}, {}, {}, {}} : run{{}, 1, when, {}};
    });
  };
  g.apply(at(1020), {a});
  g.apply(at(1010), {a});
  g.apply(at(1020), {a});
  CAF_CHECK_EQUAL(next_call(g.fresh(R"({"inputs":{"a":0},"now":1000})")), "1010");
  CAF_CHECK_EQUAL(changed(g.step(R"({"now":1030})")), "2=9, 1=9, 3=9");
}

CAF_TEST(queued values come before due wake - ups) {
  graph g;
  auto a = g.input("a");
  auto b = g.input("b");
  auto& timer = g.producer("timer", 1, [](const ints&, int64_t now, std::optional<int64_t> resume) {
    return resume ? run{{7}, {}, {}, {}} : run{{}, 1, now + 5, {}};
  });
  auto& burst = g.producer("burst", 1, [](const ints& in, int64_t, std::optional<int64_t>) {
    return run{{in[0], in[0] + 1}, {}, {}, {}};
  });
  g.apply(timer, {a});
  g.apply(burst, {b});
  g.fresh(R"({"inputs":{"a":0},"now":1000})");
  CAF_CHECK_EQUAL(changed(g.step(R"({"inputs":{"b":1},"now":1005})")), "1=1, 3=1, 3=2, 2=7");
}

CAF_TEST(a new argument drops the queue and the continuation) {
  int64_t resumed = -1;
  produced_by g{[&](const ints& in, int64_t now, std::optional<int64_t> resume) {
    resumed = resume.value_or(0);
    run result{{}, 77, now + 10, {}};
    for (int i = 0; i < 300; ++i)
      result.values.push_back(in[0] * 1000 + i);
    return result;
  }};
  auto first = g.fresh(R"({"inputs":{"a":1},"now":1000})");
  CAF_CHECK_EQUAL(next_call(first), "1000"); // 299 queued, 256 gone
  auto second = g.step(R"({"inputs":{"a":2},"now":1020})");
  CAF_CHECK_EQUAL(resumed, 0);
  CAF_CHECK_EQUAL(changed(second).substr(0, 25), "0=2, 1=2000, 2=2000, 1=20");
}

CAF_TEST(at most 256 emissions run in a call and the rest at once in the next) {
  produced_by g{[](const ints& in, int64_t, std::optional<int64_t>) {
    run result;
    for (int64_t i = 0; i <= in[0]; ++i)
      result.values.push_back(i);
    return result;
  }};
  CAF_CHECK_EQUAL(next_call(g.fresh(R"({"inputs":{"a":256},"now":1000})")), "null");
  auto reply = g.fresh(R"({"inputs":{"a":257},"now":1000})");
  CAF_CHECK_EQUAL(next_call(reply), "1000");
  CAF_CHECK_EQUAL(outcome_of((*reply.find("nodes")->if_array())[1]), "256");
  reply = g.step(R"({"now":1000})");
  CAF_CHECK_EQUAL(changed(reply), "1=257, 2=257");
  CAF_CHECK_EQUAL(next_call(reply), "null");
}

CAF_TEST(wake - ups count against the budget) {
  graph g;
  auto a = g.input("a");
  auto& timer = g.producer("timer", 1, [](const ints&, int64_t now, std::optional<int64_t> resume) {
    return resume ? run{{7}, {}, {}, {}} : run{{}, 1, now + 5, {}};
  });
  for (int i = 0; i < 257; ++i)
    g.apply(timer, {a});
  g.fresh(R"({"inputs":{"a":0},"now":1000})");
  CAF_CHECK_EQUAL(next_call(g.step(R"({"now":1010})")), "1010");
  CAF_CHECK_EQUAL(changed(g.step(R"({"now":1010})")), "257=7");
}

CAF_TEST(a next time that is not after now is the error of the node) {
  for (int64_t delta : {0, -1}) {
    produced_by g{[&](const ints&, int64_t now, std::optional<int64_t>) {
      return run{{1, 2}, 5, now + delta, {}};
    }};
    auto reply = g.fresh(R"({"inputs":{"a":0},"now":1000})");
    CAF_CHECK_EQUAL(changed(reply), "0=0, 1=!the next time " + std::to_string(1000 + delta) +
                                        " is not after now, 1000, 2=skip 1");
    CAF_CHECK_EQUAL(next_call(reply), "null");
  }
}

CAF_TEST(a next time above the limit is the error of the node) {
  produced_by g{[&](const ints& in, int64_t, std::optional<int64_t>) {
    return run{{1}, 5, time_max_ms + in[0], {}};
  }};
  CAF_CHECK_EQUAL(next_call(g.fresh(R"({"inputs":{"a":0}})")), "9007199254740991");
  auto reply = g.fresh(R"({"inputs":{"a":1}})");
  CAF_CHECK_EQUAL(outcome_of((*reply.find("nodes")->if_array())[1]),
                  "!the next time 9007199254740992 is above 2^53-1");
}

CAF_TEST(a run without values keeps the last output and dependents stay) {
  produced_by g{[](const ints& in, int64_t, std::optional<int64_t>) {
    return in[0] > 0 ? run{{in[0]}, {}, {}, {}} : run{};
  }};
  g.fresh(R"({"inputs":{"a":5}})");
  auto reply = g.step(R"({"inputs":{"a":0}})");
  CAF_CHECK_EQUAL(changed(reply), "0=0");
  CAF_CHECK_EQUAL(nodes(reply), "0, 5, 5");
  CAF_CHECK_EQUAL(g.reader.calls, 1);
}

CAF_TEST(a run without values after an error unsets the node and leaves its dependents) {
  produced_by g{[](const ints& in, int64_t, std::optional<int64_t>) {
    return in[0] < 0 ? run{{}, {}, {}, "negative"} : run{};
  }};
  CAF_CHECK_EQUAL(changed(g.fresh(R"({"inputs":{"a":-1}})")), "0=-1, 1=!negative, 2=skip 1");
  auto reply = g.step(R"({"inputs":{"a":1}})");
  CAF_CHECK_EQUAL(changed(reply), "0=1");
  CAF_CHECK_EQUAL(nodes(reply), "1, -, skip 1");
  CAF_CHECK_EQUAL(nodes(g.step("{}")), "1, -, skip 1"); // the state is accepted
}

CAF_TEST(a run without values after a skip unsets the node) {
  graph g;
  auto a = g.input("a");
  auto p = g.apply(g.positive(), {a});
  g.apply(g.producer("none", 1, [](const ints&, int64_t, std::optional<int64_t>) { return run{}; }),
          {p});
  CAF_CHECK_EQUAL(nodes(g.fresh(R"({"inputs":{"a":-1}})")), "-1, !negative, skip 1");
  CAF_CHECK_EQUAL(nodes(g.step(R"({"inputs":{"a":1}})")), "1, 1, -");
}

CAF_TEST(an argument that fails drops the queue and the wake - up) {
  graph g;
  auto a = g.input("a");
  auto p = g.apply(g.positive(), {a});
  auto& source = g.producer("p", 1, [](const ints& in, int64_t now, std::optional<int64_t>) {
    run result{{}, 1, now + 10, {}};
    for (int i = 0; i < 300; ++i)
      result.values.push_back(in[0] + i);
    return result;
  });
  g.apply(source, {p});
  CAF_CHECK_EQUAL(next_call(g.fresh(R"({"inputs":{"a":1},"now":1000})")), "1000");
  auto reply = g.step(R"({"inputs":{"a":-1},"now":1100})");
  CAF_CHECK_EQUAL(changed(reply), "0=-1, 1=!negative, 2=skip 1");
  CAF_CHECK_EQUAL(next_call(reply), "null");
  CAF_CHECK_EQUAL(source.calls, 1);
}

CAF_TEST(a failing wake - up is the error of the node and ends it) {
  produced_by g{[](const ints& in, int64_t now, std::optional<int64_t> resume) {
    return resume ? run{{}, {}, {}, "broken"} : counting(in, now, resume);
  }};
  g.fresh(R"({"inputs":{"a":5},"now":1000})");
  auto reply = g.step(R"({"now":1010})");
  CAF_CHECK_EQUAL(changed(reply), "1=!broken, 2=skip 1");
  CAF_CHECK_EQUAL(next_call(reply), "null");
}

CAF_TEST(an emission equal to the last output is not listed but dependents run) {
  produced_by g{[](const ints& in, int64_t, std::optional<int64_t>) {
    return run{{in[0], in[0], in[0]}, {}, {}, {}};
  }};
  CAF_CHECK_EQUAL(changed(g.fresh(R"({"inputs":{"a":5}})")), "0=5, 1=5, 2=5");
  CAF_CHECK_EQUAL(g.reader.calls, 3);
}

CAF_TEST(cutoff holds for queued emissions) {
  produced_by g{[](const ints& in, int64_t, std::optional<int64_t>) {
    return run{{in[0], in[0], in[0] + 1}, {}, {}, {}};
  }};
  g.plan.cutoff = true;
  CAF_CHECK_EQUAL(changed(g.fresh(R"({"inputs":{"a":5}})")), "0=5, 1=5, 2=5, 1=6, 2=6");
  CAF_CHECK_EQUAL(g.reader.calls, 2);
}

CAF_TEST(a producer without arguments is a constant source that ticks) {
  graph g;
  auto& ticker = g.producer("t", 0, [](const ints&, int64_t now, std::optional<int64_t> resume) {
    return run{{resume.value_or(0)}, resume.value_or(0) + 1, now + 100, {}};
  });
  g.apply(g.sum(1), {g.apply(ticker, {})});
  CAF_CHECK_EQUAL(changed(g.fresh(R"({"now":1000})")), "0=0, 1=0");
  CAF_CHECK_EQUAL(changed(g.step(R"({"now":1100})")), "0=1, 1=1");
}

CAF_TEST(a producer that feeds a producer restarts it) {
  graph g;
  auto a = g.input("a");
  auto& burst = g.producer("burst", 1, [](const ints& in, int64_t, std::optional<int64_t>) {
    return run{{in[0], in[0] + 10}, {}, {}, {}};
  });
  g.apply(burst, {g.apply(burst, {a})});
  // The second producer's 11 is dropped when the first one's 11 arrives.
  CAF_CHECK_EQUAL(changed(g.fresh(R"({"inputs":{"a":1}})")), "0=1, 1=1, 2=1, 1=11, 2=11, 2=21");
}

CAF_TEST(a denied effect is the error of the node) {
  graph g;
  auto a = g.input("a");
  g.apply(g.function("traced", 1,
                     [](effect_port& port, const ints& in) {
                       if (!port.grants(effect::trace))
                         return fails(permission_denied{effect::trace}.what());
                       port.log("seen " + std::to_string(in[0]));
                       return value(in[0]);
                     }),
          {a});
  CAF_CHECK_EQUAL(changed(g.fresh(R"({"inputs":{"a":1}})")), "0=1, 1=!permission denied: Trace");
  g.granted = {"trace"};
  auto reply = g.fresh(R"({"inputs":{"a":1}})");
  CAF_CHECK_EQUAL(changed(reply), "0=1, 1=1");
  CAF_CHECK_EQUAL(*reply.find("log")->if_string(), "seen 1\n");
}
