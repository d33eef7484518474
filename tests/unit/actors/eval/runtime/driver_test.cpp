#define CAF_SUITE driver
#include "caf_app/eval/driver.hpp"

#include <caf/test/unit_test.hpp>

#include "support/eval_graphs.hpp"

using namespace eval_test;

namespace {

nat add(nat a, nat b) { return a + b; }
nat blow_up(nat) { throw 5; }
nat complain(nat) { throw std::runtime_error{"it hurts"}; }
double ratio(double a, double b) { return a / b; }
std::string text(json value) { return to_text(value); }
outcome<nat> checked(effects<error>& fx, nat a) {
  return a == 0 ? outcome<nat>{fx.fail("zero")} : outcome<nat>{a};
}
nat traced(effects<trace>& fx, nat a) {
  fx.trace("got " + a.to_string());
  return a;
}
std::string fetched(effects<http>& fx, std::string url) { return fx.get(url).content; }
json deep(nat levels) {
  json value;
  for (nat i; i < levels; ++i)
    value = json::array{value};
  return value;
}

struct table_of_tests : driver_table {
  table_of_tests() {
    keep(bind<nat(nat, nat), &add>("math.add", "nat(nat,nat)"));
    keep(bind<nat(nat), &blow_up>("blow_up", "nat(nat)"));
    keep(bind<nat(nat), &complain>("complain", "nat(nat)"));
    keep(bind<double(double, double), &ratio>("ratio", "double(double,double)"));
    keep(bind<std::string(json), &text>("text", "std::string(json)"));
    keep(bind<outcome<nat>(effects<error>&, nat), &checked>("checked", ""));
    keep(bind<nat(effects<trace>&, nat), &traced>("traced", ""));
    keep(bind<std::string(effects<http>&, std::string), &fetched>("fetched", ""));
    keep(bind<json(nat), &deep>("deep", ""));
    keep(bind<nat(nat, nat), &add>("math.plus", "nat(nat, nat)"));
    graph_plan plan{"sum", false, {}};
    for (auto name : {"a", "b"})
      plan.nodes.push_back({name, &typed_value<nat>::instance(), "nat", nullptr, {}});
    plan.nodes.push_back({{}, nullptr, {}, functions[0], {0, 1}});
    graphs = {plan};
  }

  template <class Face>
  void keep(Face face) {
    faces.push_back(std::make_unique<Face>(face));
    functions.push_back(faces.back().get());
  }

  std::string call(const std::string& name, std::string_view body, const std::string& effects = "",
                   const call_port::performer& perform = nullptr,
                   size_t reply_max = 1 << 20) const {
    auto reply = serve(*this,
                       R"({"kind":"function","name":")" + name +
                           R"(","build":"b","clock":5,)"
                           R"("identity":null,"effects":[)" +
                           effects + R"(],"replyMax":)" + std::to_string(reply_max) + "}",
                       body, perform);
    return reply.status == 200 ? reply.body : std::to_string(reply.status) + " " + reply.body;
  }

  std::vector<std::unique_ptr<function_face>> faces;
};

} // namespace

CAF_TEST(big numbers survive a call) {
  table_of_tests table;
  CAF_CHECK_EQUAL(
      table.call("math.add",
                 R"({"input":[1606938044258990275541962092341162602522202993782792835301376,1]})"),
      R"({"output":1606938044258990275541962092341162602522202993782792835301377})");
}

CAF_TEST(a function with two names has both) {
  table_of_tests table;
  for (auto name : {"math.add", "math.plus"})
    CAF_CHECK_EQUAL(table.call(name, R"({"input":[1,2]})"), R"({"output":3})");
  CAF_CHECK_EQUAL(table.functions.back()->name(), "math.plus");
  CAF_CHECK_EQUAL(table.functions.back()->signature(), "nat(nat, nat)");
}

CAF_TEST(what goes wrong in a function is an error value) {
  table_of_tests table;
  const std::pair<std::pair<const char*, const char*>, const char*> cases[] = {
      {{"math.add", R"({"input":[1,-1]})"},
       R"({"error":"argument 2: expected a natural number, got -1"})"},
      {{"blow_up", R"({"input":1})"}, R"({"error":"an exception that is no std::exception"})"},
      {{"complain", R"({"input":1})"}, R"({"error":"it hurts"})"},
      {{"ratio", R"({"input":[1,0]})"}, R"({"error":"JSON has no NaN and no infinity"})"},
      {{"deep", R"({"input":129})"}, R"({"error":"not a JSON value: nested deeper than 128"})"}};
  for (auto& [call, expected] : cases)
    CAF_CHECK_EQUAL(table.call(call.first, call.second), expected);
}

CAF_TEST(members keep the order and the numbers their text through json) {
  table_of_tests table;
  CAF_CHECK_EQUAL(table.call("text", R"({"input":{"b":1.50,"a":[1e400]}})"),
                  R"({"output":"{\"b\":1.50,\"a\":[1e400]}"})");
}

CAF_TEST(an error effect is the error and needs its grant) {
  table_of_tests table;
  CAF_CHECK_EQUAL(table.call("checked", R"({"input":0})", "\"Error\""), R"({"error":"zero"})");
  CAF_CHECK_EQUAL(table.call("checked", R"({"input":0})"),
                  R"({"error":"permission denied: Error"})");
  CAF_CHECK_EQUAL(table.call("checked", R"({"input":1})"), R"({"output":1})");
}

CAF_TEST(a batch has one log beside its outputs) {
  table_of_tests table;
  CAF_CHECK_EQUAL(
      table.call("traced", R"({"inputs":[1,"x",2]})", "\"trace\""),
      R"({"outputs":[{"output":1},{"error":"argument 1: expected a natural number, got )"
      R"(\"x\""},{"output":2}],"log":"got 1\ngot 2\n"})");
}

CAF_TEST(an effect goes through the performer and its failure into the function) {
  table_of_tests table;
  auto perform = [](effect what, const json& request) -> json {
    if (to_text(request) != R"({"method":"GET","url":"https://example.org/"})" ||
        what != effect::http)
      throw effect_failed{"unreachable"};
    return parse(R"({"status":200,"fields":{},"content":"page"})");
  };
  CAF_CHECK_EQUAL(table.call("fetched", R"({"input":"https://example.org/"})", "\"HTTP\"", perform),
                  R"({"output":"page"})");
  CAF_CHECK_EQUAL(table.call("fetched", R"({"input":"x"})", "\"HTTP\"", perform),
                  R"({"error":"unreachable"})");
}

CAF_TEST(malformed bodies and unknown names are refused) {
  table_of_tests table;
  CAF_CHECK_EQUAL(table.call("nothing", "{}"),
                  R"(404 {"error":"the build has no function nothing","code":"not_found"})");
  for (auto body : {"{", R"({"input":1,"input":2})", R"({"input":"\ud800"})", "{} {}"})
    CAF_CHECK(table.call("text", body).starts_with("400 "));
}

CAF_TEST(a reply that is too large is an error of its own) {
  table_of_tests table;
  CAF_CHECK_EQUAL(table.call("math.add", R"({"input":[1,2]})", "", nullptr, 12), R"({"output":3})");
  CAF_CHECK_EQUAL(table.call("math.add", R"({"input":[1,2]})", "", nullptr, 11),
                  R"(500 {"error":"the reply has 12 bytes, at most 11 are allowed",)"
                  R"("code":"reply_too_large"})");
}

CAF_TEST(a graph is served with the build in its state) {
  table_of_tests table;
  auto reply =
      serve(table, R"({"kind":"graph","name":"sum","build":"b7","clock":9,"replyMax":9999})",
            R"({"inputs":{"a":1,"b":2}})", nullptr);
  CAF_CHECK_EQUAL(reply.status, 200);
  auto value = parse(reply.body);
  CAF_CHECK_EQUAL(changed(value), "0=1, 1=2, 2=3");
  CAF_CHECK_EQUAL(*value.find("state")->find("build")->if_string(), "b7");
}

CAF_TEST(an empty body is an empty object) {
  table_of_tests table;
  CAF_CHECK_EQUAL(table.call("complain", ""), R"({"error":"expected an input"})");
}

CAF_TEST(a driver describes its functions and graphs) {
  table_of_tests table;
  auto description = describe(table);
  CAF_CHECK_EQUAL(to_text((*description.find("functions")->if_array())[0]),
                  R"j({"name":"math.add","signature":"nat(nat,nat)","arity":2,"producer":false})j");
  CAF_CHECK_EQUAL(to_text((*description.find("graphs")->if_array())[0]),
                  R"({"name":"sum","inputs":[{"name":"a","type":"nat"},{"name":"b","type":"nat"}],)"
                  R"("nodes":[{"id":0,"input":"a","type":"nat"},{"id":1,"input":"b","type":"nat"},)"
                  R"({"id":2,"function":"math.add","args":[0,1]}],"sources":[0,1],"sinks":[2]})");
}
