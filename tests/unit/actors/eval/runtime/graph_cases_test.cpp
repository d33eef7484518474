// The table of cases in support/eval_cases.json against the engine.
// tests/system/eval_graphs_test.py runs the same table over HTTP, against compiled functions of the
// same names.
#define CAF_SUITE graph_cases
#include "caf_app/eval/graph_engine.hpp"

#include <fstream>
#include <sstream>

#include <caf/test/unit_test.hpp>

#include "support/eval_graphs.hpp"

using namespace eval_test;

namespace {

/// The kitchen of support/evaluator.py, over small integers.
struct kitchen : graph {
  fake_function& add = sum(2);
  fake_function& one = function("one", 0, [](effect_port&, const ints&) { return value(1); });
  fake_function& half = function("half", 1, [](effect_port&, const ints& in) {
    return in[0] % 2 != 0 ? fails("odd") : value(in[0] / 2);
  });
  fake_function& positive = function("positive", 1, [](effect_port&, const ints& in) {
    return in[0] == 0 ? fails("zero") : value(in[0]);
  });
  fake_function& capped = function(
      "capped", 1, [](effect_port&, const ints& in) { return value(std::min<int64_t>(in[0], 3)); });
  fake_function& ticker =
      producer("ticker", 1, [](const ints& in, int64_t now, std::optional<int64_t> resume) {
        const auto at = resume.value_or(0);
        return run{{at}, at + 1, now + in[0], {}};
      });
  fake_function& burst = producer("burst", 1, [](const ints& in, int64_t, std::optional<int64_t>) {
    run result;
    for (auto i = in[0]; i > 0; --i)
      result.values.push_back(i);
    return result;
  });
  fake_function& quiet = producer("quiet", 1, [](const ints& in, int64_t, std::optional<int64_t>) {
    return in[0] != 0 ? run{{in[0]}, {}, {}, {}} : run{};
  });
  fake_function& wake =
      producer("wake", 1, [](const ints& in, int64_t, std::optional<int64_t> resume) {
        return resume ? run{{9}, {}, {}, {}} : run{{}, 1, in[0], {}};
      });

  /// The programs of support/evaluator.py, by hand.
  explicit kitchen(const std::string& name) {
    if (name == "sum") {
      const auto a = input("a"), b = input("b");
      apply(add, {a, b});
    } else if (name == "diamond") {
      const auto a = input("a"), left = apply(add, {a, a}), right = apply(half, {a});
      apply(add, {left, right});
    } else if (name == "constant") {
      const auto c = apply(one, {}), a = input("a");
      apply(add, {c, a});
    } else if (name == "constants") {
      const auto c = apply(one, {}), two = apply(add, {c, c}), d = apply(one, {});
      const auto three = apply(add, {two, d}), a = input("a");
      apply(add, {three, a});
    } else if (name == "checked") {
      const auto a = apply(positive, {input("a")}), b = apply(half, {a});
      apply(add, {b, b});
    } else if (name == "cut" || name == "uncut") {
      plan.cutoff = name == "cut";
      const auto c = apply(capped, {input("a")});
      apply(add, {c, c});
    } else if (name == "skips") {
      const auto a = apply(positive, {input("a")}), b = apply(positive, {input("b")});
      const auto x = apply(add, {a, b}), y = apply(add, {b, a});
      apply(add, {x, y});
    } else {
      build_producer(name);
    }
  }

private:
  void build_producer(const std::string& name) {
    if (name == "ticks") {
      const auto tick = apply(ticker, {input("period")}), base = input("base");
      apply(add, {tick, base});
    } else if (name == "halves") {
      const auto tick = apply(ticker, {input("period")}), base = input("base");
      const auto total = apply(add, {apply(half, {tick}), base});
      apply(add, {total, tick});
    } else if (name == "bursts") {
      const auto h = apply(half, {apply(burst, {input("n")})}), c = apply(one, {});
      const auto m = input("m"), inner = apply(add, {c, m});
      apply(add, {h, inner});
    } else if (name == "quiets") {
      const auto q = apply(quiet, {input("a")}), b = input("b");
      apply(add, {q, b});
    } else if (name == "chained") {
      const auto q = apply(quiet, {apply(positive, {input("a")})});
      apply(add, {q, q});
    } else if (name == "wakes") {
      const auto v = apply(wake, {input("a")}), w = apply(wake, {input("b")});
      apply(add, {v, w});
    } else {
      CAF_FAIL("no such graph: " << name);
    }
  }
};

json table() {
  std::ifstream file{CAF_APP_SUPPORT "/eval_cases.json"};
  std::ostringstream text;
  text << file.rdbuf();
  return parse(text.str());
}

/// Texts of errors that are not the functions' own are the server's business: "!*".
std::string shown(const json& node) {
  const auto outcome = outcome_of(node);
  const auto foreign = outcome.starts_with("!") && outcome != "!odd" && outcome != "!zero";
  return foreign ? "!*" : outcome;
}

std::string text_of(const json& from, std::string_view member) {
  const auto* value = from.find(member);
  return value && value->if_string() ? *value->if_string() : std::string{};
}

void add_item(std::string& to, const std::string& item) { to += (to.empty() ? "" : ", ") + item; }

void check(const json& reply, const json& step) {
  std::string changes, outcomes;
  for (const auto& entry : *reply.find("changed")->if_array())
    add_item(changes, to_text(*entry.find("id")) + "=" + shown(entry));
  for (const auto& node : *reply.find("nodes")->if_array())
    add_item(outcomes, shown(node));
  const auto size = std::to_string(reply.find("changed")->if_array()->size());
  const auto* count = step.find("changes"); // of many only the number
  const auto expected_size = count ? to_text(*count) : size;
  const auto expected_changes = count ? changes : text_of(step, "changed");
  const auto expected_outcomes = text_of(step, "nodes");
  const auto next = next_call(reply), expected_next = to_text(*step.find("next"));
  CAF_CHECK_EQUAL(size, expected_size);
  CAF_CHECK_EQUAL(changes, expected_changes);
  CAF_CHECK_EQUAL(outcomes, expected_outcomes);
  CAF_CHECK_EQUAL(next, expected_next);
}

} // namespace

CAF_TEST(the engine agrees with every case of the table) {
  const auto cases = table();
  CAF_REQUIRE(cases.if_array());
  CAF_CHECK(cases.if_array()->size() >= 80);
  for (const auto& one : *cases.if_array()) {
    kitchen g{text_of(one, "graph")};
    for (const auto& step : *one.find("steps")->if_array()) {
      CAF_MESSAGE(text_of(one, "rule"));
      const auto reply = g.step(to_text(*step.find("request")));
      const auto refused = reply.find("fault") != nullptr;
      const auto expected = step.find("status") != nullptr;
      CAF_REQUIRE_EQUAL(refused, expected);
      if (!refused)
        check(reply, step);
    }
  }
}
