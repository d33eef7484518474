#define CAF_SUITE graph_request
#include "caf_app/eval/graph_request.hpp"

#include <random>

#include <caf/test/unit_test.hpp>

#include "support/eval_graphs.hpp"
#include "support/eval_model.hpp"
#include "support/seed.hpp"

using namespace eval_test;

namespace {

struct addition : graph {
  addition() { apply(join, {input("a"), input("b")}); }
  fake_function& join = sum(2);
};

std::string fault_of(graph& g, const std::string& request) {
  auto reply = g.step(request);
  auto fault = reply.find("fault");
  return fault ? *fault->if_string() : "none";
}

std::string call(const function_face& f, std::string_view request) {
  call_port port{{}, nullptr};
  auto reply = call_function(f, parse(request), port);
  auto fault = std::get_if<call_fault>(&reply);
  return fault ? std::to_string(fault->status) + " " + fault->text : std::get<std::string>(reply);
}

std::string nested(size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

/// A random graph in both forms: for the model and for the engine.
struct random_graph : graph {
  random_graph(std::mt19937& random, size_t count) {
    using kind = model_node::kind;
    plan.cutoff = random() % 2 == 0;
    for (size_t id = 0; id < count; ++id) {
      auto& node = model_nodes.emplace_back();
      node.what = id < 2 ? kind::input : static_cast<kind>(random() % 6);
      node.parameter = static_cast<int64_t>(random() % 4);
      const auto constant =
          node.what == kind::constant || (node.what == kind::ticker && random() % 4 == 0);
      if (node.what != kind::input && !constant)
        for (auto n = random() % 3 + 1; n > 0; --n)
          node.arguments.push_back(random() % id);
      add(node, id);
    }
  }

  void add(const model_node& node, size_t id) {
    using kind = model_node::kind;
    if (node.what == kind::input) {
      inputs.push_back(input("i" + std::to_string(id)));
    } else if (node.what == kind::burst || node.what == kind::ticker) {
      apply(producer("p", node.arguments.size(),
                     [node](const ints& in, int64_t now, std::optional<int64_t> resume) {
                       return model_function::produce(node, in, now, resume);
                     }),
            node.arguments);
    } else {
      apply(
          function("f", node.arguments.size(),
                   [node](effect_port&, const ints& in) { return model_function::call(node, in); }),
          node.arguments);
    }
  }

  std::vector<model_node> model_nodes;
  std::vector<size_t> inputs;
};

} // namespace

CAF_TEST(random graphs agree with the slow model) {
  std::mt19937 random{test_seed()};
  for (int round = 0; round < 600; ++round) {
    random_graph g{random, 2 + random() % 12};
    model other{g.model_nodes, g.plan.cutoff};
    int64_t now = 1000;
    for (int step = 0; step < 8; ++step) {
      now += random() % 3;
      std::vector<std::pair<size_t, int64_t>> fed;
      std::string members;
      for (auto id : g.inputs)
        if (random() % 2 == 0) {
          fed.emplace_back(id, random() % 4);
          members += (members.empty() ? "\"i" : ",\"i") + std::to_string(id) +
                     "\":" + std::to_string(fed.back().second);
        }
      auto reply = g.step("{\"inputs\":{" + members + "},\"now\":" + std::to_string(now) + "}");
      const auto expected = other.step(fed, now);
      CAF_REQUIRE_EQUAL(changed(reply), expected);
      CAF_REQUIRE_EQUAL(nodes(reply), other.nodes());
      CAF_REQUIRE_EQUAL(next_call(reply), other.next_call());
    }
  }
}

CAF_TEST(the reply describes the nodes and lists changes with their time) {
  addition g;
  auto reply = g.fresh(R"({"inputs":{"a":1,"b":2},"now":5})");
  CAF_CHECK_EQUAL(to_text(*reply.find("nodes")),
                  R"([{"id":0,"input":"a","output":1},{"id":1,"input":"b","output":2},)"
                  R"({"id":2,"function":"sum","args":[0,1],"output":3}])");
  CAF_CHECK_EQUAL(to_text(*reply.find("changed")),
                  R"([{"id":0,"output":1,"timestamp":5},{"id":1,"output":2,"timestamp":5},)"
                  R"({"id":2,"output":3,"timestamp":5}])");
  CAF_CHECK_EQUAL(next_call(reply), "null");
  CAF_CHECK(reply.find("log") == nullptr);
}

CAF_TEST(the time is the later of the clock and the state) {
  addition g;
  g.context.clock_ms = 50;
  CAF_CHECK_EQUAL(to_text(*g.fresh("{}").find("state")->find("now")), "50");
  CAF_CHECK_EQUAL(to_text(*g.step(R"({"now":70})").find("state")->find("now")), "70");
  CAF_CHECK_EQUAL(to_text(*g.step("{}").find("state")->find("now")), "70");
  g.context.clock_ms = 90;
  CAF_CHECK_EQUAL(to_text(*g.step("{}").find("state")->find("now")), "90");
}

CAF_TEST(a bad time is refused) {
  addition g;
  g.fresh(R"({"now":100})");
  const auto shape = std::string{"now: expected an integer from 0 to 2^53-1"};
  for (auto now : {"null", "\"5\"", "1.0", "1e3", "-1", "9007199254740992", "[]"})
    CAF_CHECK_EQUAL(fault_of(g, "{\"now\":" + std::string{now} + "}"), shape);
  CAF_CHECK_EQUAL(fault_of(g, R"({"now":99})"), "now: 99 is before the state's now, 100");
  CAF_CHECK_EQUAL(fault_of(g, R"({"now":100})"), "none");
  CAF_CHECK_EQUAL(fault_of(g, R"({"now":9007199254740991})"), "none");
}

CAF_TEST(members of the wrong type are refused and unknown ones ignored) {
  addition g;
  CAF_CHECK_EQUAL(fault_of(g, "[]"), "expected an object");
  CAF_CHECK_EQUAL(fault_of(g, R"({"inputs":[]})"), "inputs: expected an object");
  CAF_CHECK_EQUAL(fault_of(g, R"({"inputs":null,"other":1})"), "none");
  CAF_CHECK_EQUAL(fault_of(g, R"({"recoverInputs":1})"), "recoverInputs: expected a boolean");
  CAF_CHECK_EQUAL(fault_of(g, R"({"recoverInputs":null})"), "recoverInputs: expected a boolean");
}

CAF_TEST(an unknown or badly typed input is refused and no function ran) {
  addition g;
  CAF_CHECK_EQUAL(fault_of(g, R"({"inputs":{"a":1,"b":2,"c":3}})"),
                  "inputs: the graph has no input \"c\"");
  CAF_CHECK_EQUAL(fault_of(g, R"({"inputs":{"a":1,"b":"x"}})"),
                  "inputs: b: expected an integer, got \"x\"");
  CAF_CHECK_EQUAL(g.join.calls, 0);
}

CAF_TEST(recoverInputs turns a badly typed input into its error until a good value comes) {
  addition g;
  auto reply = g.fresh(R"({"inputs":{"a":1,"b":"x"},"recoverInputs":true})");
  CAF_CHECK_EQUAL(changed(reply), "0=1, 1=!b: expected an integer, got \"x\", 2=skip 1");
  CAF_CHECK_EQUAL(changed(g.step(R"({"inputs":{"b":"x"},"recoverInputs":true})")), "");
  CAF_CHECK_EQUAL(changed(g.step(R"({"inputs":{"b":2}})")), "1=2, 2=3");
  CAF_CHECK_EQUAL(fault_of(g, R"({"inputs":{"c":1},"recoverInputs":true})"),
                  "inputs: the graph has no input \"c\"");
}

CAF_TEST(steps carry the state along and have a reply each) {
  addition g;
  auto reply = g.fresh(R"({"steps":[{"inputs":{"a":1},"now":5},{"inputs":{"b":2},"now":5},)"
                       R"({"inputs":{"a":3},"now":9}]})");
  auto& steps = *reply.find("steps")->if_array();
  CAF_REQUIRE_EQUAL(steps.size(), 3u);
  CAF_CHECK_EQUAL(changed(steps[0]), "0=1");
  CAF_CHECK_EQUAL(changed(steps[1]), "1=2, 2=3");
  CAF_CHECK_EQUAL(changed(steps[2]), "0=3, 2=5");
  CAF_CHECK_EQUAL(nodes(reply), "3, 2, 5");
  CAF_CHECK(reply.find("changed") == nullptr);
}

CAF_TEST(one faulty step refuses all and nothing ran) {
  addition g;
  const std::pair<const char*, const char*> cases[] = {
      {R"({"steps":[]})", "steps: expected an array that is not empty"},
      {R"({"steps":{}})", "steps: expected an array that is not empty"},
      {R"({"steps":[1]})", "steps[0]: expected an object"},
      {R"({"steps":[{}],"inputs":{}})", "steps: inputs and now belong into each step"},
      {R"({"steps":[{}],"now":1})", "steps: inputs and now belong into each step"},
      {R"({"steps":[{"inputs":{"a":1,"b":1}},{"inputs":{"a":"x"}}]})",
       "steps[1]: inputs: a: expected an integer, got \"x\""},
      {R"({"steps":[{"now":10},{"now":9}]})", "steps[1]: now: 9 is before the state's now, 10"}};
  for (auto [request, fault] : cases)
    CAF_CHECK_EQUAL(fault_of(g, request), fault);
  CAF_CHECK_EQUAL(g.join.calls, 0);
}

CAF_TEST(each step has its own budget and its own log) {
  graph g;
  g.granted = {"Trace"};
  auto a = g.input("a");
  auto& many = g.producer("many", 1, [](const ints& in, int64_t, std::optional<int64_t>) {
    run result;
    for (int64_t i = 0; i < in[0]; ++i)
      result.values.push_back(i);
    return result;
  });
  g.apply(g.function("traced", 1,
                     [](effect_port& port, const ints& in) {
                       if (in[0] == 5)
                         port.log("five");
                       return value(in[0]);
                     }),
          {g.apply(many, {a})});
  auto reply = g.fresh(R"({"steps":[{"inputs":{"a":400}},{}]})");
  auto& steps = *reply.find("steps")->if_array();
  CAF_CHECK_EQUAL(*steps[0].find("log")->if_string(), "five\n");
  CAF_CHECK(steps[1].find("log") == nullptr);
  CAF_CHECK(next_call(steps[0]) != "null");
  CAF_CHECK_EQUAL(next_call(steps[1]), "null");
}

CAF_TEST(a function is called with its input or each of its inputs) {
  graph g;
  auto& one = g.positive();
  auto& two = g.sum(2);
  auto& none = g.function("none", 0, [](effect_port&, const ints&) { return value(7); });
  CAF_CHECK_EQUAL(call(one, R"({"input":3})"), R"({"output":3})");
  CAF_CHECK_EQUAL(call(one, R"({"input":-3})"), R"({"error":"negative"})");
  CAF_CHECK_EQUAL(call(two, R"({"input":[3,4]})"), R"({"output":7})");
  CAF_CHECK_EQUAL(call(none, R"({"input":"ignored"})"), R"({"output":7})");
  CAF_CHECK_EQUAL(call(none, "{}"), R"({"output":7})");
  CAF_CHECK_EQUAL(call(one, R"({"inputs":[1,-1,2],"input":9})"),
                  R"({"outputs":[{"output":1},{"error":"negative"},{"output":2}]})");
  CAF_CHECK_EQUAL(call(one, R"({"inputs":[]})"), R"({"outputs":[]})");
}

CAF_TEST(a wrong number of arguments is an error value) {
  graph g;
  auto& one = g.positive();
  auto& two = g.sum(2);
  CAF_CHECK_EQUAL(call(one, "{}"), R"({"error":"expected an input"})");
  const std::string expected = R"({"error":"expected an array of 2 arguments"})";
  for (auto request : {"{}", R"({"input":1})", R"({"input":[1]})", R"({"input":[1,2,3]})"})
    CAF_CHECK_EQUAL(call(two, request), expected);
  CAF_CHECK_EQUAL(call(two, R"({"inputs":1})"), "400 inputs: expected an array");
  CAF_CHECK_EQUAL(call(two, "[]"), "400 expected an object");
}

CAF_TEST(a producer is not called directly) {
  graph g;
  auto& p = g.producer("p", 1, [](const ints&, int64_t, std::optional<int64_t>) { return run{}; });
  CAF_CHECK_EQUAL(call(p, R"({"input":1})"), R"({"error":"a producer runs in graphs only"})");
}

CAF_TEST(the depth limit holds for each argument and each input) {
  graph g;
  auto& f = g.function("f", 2, [](effect_port&, const ints&) { return value(1); });
  auto with = [&](size_t depth) { return "{\"input\":[" + nested(depth) + ",1]}"; };
  CAF_CHECK(call(f, with(129)).find("nested deeper than 128") != std::string::npos);
  graph h;
  h.plan.nodes.push_back({"a", &typed_value<json>::instance(), "json", nullptr, {}});
  CAF_CHECK_EQUAL(fault_of(h, "{\"inputs\":{\"a\":" + nested(128) + "}}"), "none");
  CAF_CHECK_EQUAL(fault_of(h, "{}"), "none"); // the state is taken back
  CAF_CHECK_EQUAL(fault_of(h, "{\"inputs\":{\"a\":" + nested(129) + "}}"),
                  "a: nested deeper than 128");
}
