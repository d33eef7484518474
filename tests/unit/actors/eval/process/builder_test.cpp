#define CAF_SUITE builder
#include "actors/eval/process/builder.hpp"

#include <fstream>
#include <sstream>

#include <caf/test/unit_test.hpp>

#include <fcntl.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "actors/eval/eval_config.hpp"
#include "actors/eval/process/child.hpp"
#include "actors/eval/process/driver_process.hpp"
#include "caf_app/eval/json_text.hpp"
#include "support/eval_graphs.hpp"
#include "support/scratch_folder.hpp"

using namespace caf_app::eval;
using eval_test::changed;
using eval_test::parse;

namespace {

constexpr int patience_ms = 60'000; // a machine under load; nothing waits that long otherwise

const char* const header = R"cpp(
#pragma once
#include <caf_app/eval.hpp>
using namespace caf_app::eval;
struct cursor { nat next; };
BOOST_DESCRIBE_STRUCT(cursor, (), (next))
nat add(nat a, nat b);
outcome<nat> norm1(effects<error>& fx, nat x);
std::string fetch(effects<http, trace>& fx, std::string url);
produced<nat, cursor> ticker(nat period, clock_ms now, std::optional<cursor> resume);
nat misbehave(std::string how);
)cpp";

const char* const source = R"cpp(
#include "math.hpp"
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>
nat add(nat a, nat b) { return a + b; }
outcome<nat> norm1(effects<error>& fx, nat x) {
  if (x == 0)
    return fx.fail("zero has no norm");
  return x;
}
std::string fetch(effects<http, trace>& fx, std::string url) {
  fx.trace("fetching " + url);
  return fx.get(url).content;
}
produced<nat, cursor> ticker(nat period, clock_ms now, std::optional<cursor> resume) {
  auto at = resume ? resume->next : nat{};
  return {{at}, cursor{at + 1}, now + period.to_int64()};
}
nat misbehave(std::string how) {
  if (how == "crash")
    std::abort();
  if (how == "loop")
    for (;;)
      getpid();
  if (how == "print")
    std::puts("printed");
  if (how == "open")
    return open("/etc/passwd", O_RDONLY) < 0 ? 0 : 1;
  if (how == "write")
    return open("/tmp/caf_app_escape", O_CREAT | O_WRONLY, 0600) < 0 ? 0 : 1;
  if (how == "socket")
    return socket(AF_INET, SOCK_STREAM, 0) < 0 ? 0 : 1;
  if (how == "fork")
    return fork() < 0 ? 0 : 1;
  if (how == "exec")
    return execl("/bin/true", "true", nullptr) < 0 ? 0 : 1;
  if (how == "kill")
    return kill(getppid(), 0) < 0 ? 0 : 1;
  if (how == "descriptors")
    for (int fd = 4; fd < 256; ++fd)
      if (fcntl(fd, F_GETFD) >= 0)
        return fd;
  return 0;
}
)cpp";

json function(const std::string& name, const std::string& signature,
              const std::string& other_name = {}) {
  json result;
  result.add("name", "math." + (other_name.empty() ? name : other_name));
  result.add("header", "math.hpp");
  result.add("function", name);
  result.add("signature", signature);
  return result;
}

build_request request_of(const json& declared, const std::string& folder) {
  auto result = read_declaration(declared, local_sources::refused);
  if (auto fault = std::get_if<std::string>(&result))
    CAF_FAIL(*fault);
  build_request request;
  request.declared = std::get<declaration>(std::move(result));
  request.files = std::get<inline_source>(request.declared.source).files;
  request.folder = folder;
  return request;
}

json declared(json files, json::array functions, json::array graphs) {
  json source_member;
  source_member.add("files", std::move(files));
  json result;
  result.add("source", std::move(source_member));
  result.add("functions", std::move(functions));
  result.add("graphs", std::move(graphs));
  return result;
}

json graph(const std::string& name, const std::string& program) {
  json result;
  result.add("name", name);
  result.add("program", program);
  return result;
}

std::string content_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream{path}.rdbuf();
  return text.str();
}

/// The one good project, built once for all tests.
struct built {
  built() {
    json files;
    files.add("math.hpp", header);
    files.add("math.cpp", source);
    auto sum = graph("sum", "auto a = input<nat>(\"a\");\nauto b = input<nat>(\"b\");\n"
                            "return math::add(a, b);");
    auto ticks = graph("ticks", "return math::ticker(input<nat>(\"period\"));");
    auto both = graph("both", "auto a = input<nat>(\"a\");\n"
                              "return math::add(a, math::plus(a, a));");
    const auto request = request_of(
        declared(files,
                 {function("add", "nat(nat, nat)"),
                  function("norm1", "outcome<nat>(effects<error>&, nat)"),
                  function("fetch", "std::string(effects<http, trace>&, std::string)"),
                  function("ticker", "produced<nat, cursor>(nat, clock_ms, std::optional<cursor>)"),
                  function("misbehave", "nat(std::string)"),
                  function("add", "nat(nat,nat)", "plus")},
                 {sum, ticks, both}),
        folder / "good");
    tools = default_toolchain(folder / "cache");
    result = build_driver(request, tools);
    if (result.how != build_result::end::ready)
      CAF_FAIL("the build failed: " << to_text(to_json(result.diagnostics)) << "\n"
                                    << content_of(folder / "good/log"));
    log = owned_fd{::open((folder / "printed").c_str(), O_CREAT | O_WRONLY | O_APPEND, 0600)};
    auto started = driver_process::start(tools, folder / "good/driver", log.get(), patience_ms);
    if (auto why = std::get_if<std::string>(&started))
      CAF_FAIL(*why);
    driver = std::get<0>(std::move(started));
  }

  std::unique_ptr<worker_process> worker() {
    auto forked = driver->fork_worker(patience_ms);
    if (auto why = std::get_if<std::string>(&forked))
      CAF_FAIL(*why);
    return std::get<0>(std::move(forked));
  }

  static std::string header_of(const std::string& kind, const std::string& name,
                               const std::string& effects = "") {
    return R"({"kind":")" + kind + R"(","name":")" + name +
           R"(","build":"b","clock":1000,"identity":null,"replyMax":1000000,"effects":[)" +
           effects + "]}";
  }

  static built& instance() {
    static built it;
    return it;
  }

  scratch_folder folder;
  toolchain tools;
  build_result result;
  owned_fd log;
  std::unique_ptr<driver_process> driver;
};

std::string misbehave(worker_process& worker, const std::string& how) {
  return worker
      .call(built::header_of("function", "math.misbehave"), "{\"input\":\"" + how + "\"}",
            patience_ms)
      .body;
}

} // namespace

CAF_TEST(a project becomes a driver that describes itself) {
  auto& it = built::instance();
  CAF_CHECK(it.result.diagnostics.empty());
  CAF_CHECK_EQUAL(it.result.description.find("functions")->if_array()->size(), 6u);
  CAF_CHECK_EQUAL(it.result.description.find("graphs")->if_array()->size(), 3u);
}

CAF_TEST(a worker calls functions exactly) {
  auto worker = built::instance().worker();
  for (int round = 0; round < 3; ++round)
    CAF_CHECK_EQUAL(worker
                        ->call(built::header_of("function", "math.add"),
                               R"({"input":[1606938044258990275541962092341162602522202993782,1]})",
                               patience_ms)
                        .body,
                    R"({"output":1606938044258990275541962092341162602522202993783})");
}

CAF_TEST(a function works under each of its names) {
  auto& it = built::instance();
  auto worker = it.worker();
  for (auto name : {"math.add", "math.plus"})
    CAF_CHECK_EQUAL(
        worker->call(built::header_of("function", name), R"({"input":[1,2]})", patience_ms).body,
        R"({"output":3})");
  auto reply =
      worker->call(built::header_of("graph", "both"), R"({"inputs":{"a":1}})", patience_ms);
  CAF_CHECK_EQUAL(changed(parse(reply.body)), "0=1, 1=2, 2=3");
  const auto text = to_text(it.result.description);
  for (auto part : {R"j("name":"math.add","signature":"nat(nat, nat)")j",
                    R"j("name":"math.plus","signature":"nat(nat,nat)")j",
                    R"j({"id":1,"function":"math.plus","args":[0,0]})j",
                    R"j({"id":2,"function":"math.add","args":[0,1]})j"})
    CAF_CHECK(text.find(part) != std::string::npos);
}

CAF_TEST(a worker runs graph steps) {
  auto worker = built::instance().worker();
  auto reply =
      worker->call(built::header_of("graph", "sum"), R"({"inputs":{"a":1,"b":2}})", patience_ms);
  CAF_CHECK_EQUAL(changed(parse(reply.body)), "0=1, 1=2, 2=3");
  reply =
      worker->call(built::header_of("graph", "ticks"), R"({"inputs":{"period":50}})", patience_ms);
  CAF_CHECK_EQUAL(changed(parse(reply.body)), "0=50, 1=0");
  CAF_CHECK_EQUAL(eval_test::next_call(parse(reply.body)), "1050");
}

CAF_TEST(effects are asked for and answered or refused) {
  auto worker = built::instance().worker();
  const std::string body = R"({"input":"https://example.org/"})";
  auto reply = worker->call(built::header_of("function", "math.fetch", R"("http","trace")"), body,
                            patience_ms, [](effect what, const json& request) -> effect_answer {
                              CAF_CHECK(what == effect::http);
                              CAF_CHECK_EQUAL(to_text(*request.find("method")), "\"GET\"");
                              return parse(R"({"status":200,"content":"page"})");
                            });
  CAF_CHECK_EQUAL(reply.body, R"({"output":"page","log":"fetching https://example.org/\n"})");
  reply = worker->call(built::header_of("function", "math.fetch", R"("http","trace")"), body,
                       patience_ms, [](effect, const json&) { return std::string{"unreachable"}; });
  CAF_CHECK_EQUAL(reply.body, R"({"error":"unreachable","log":"fetching https://example.org/\n"})");
  reply = worker->call(built::header_of("function", "math.fetch", R"("trace")"), body, patience_ms);
  CAF_CHECK(reply.body.starts_with(R"({"error":"permission denied: HTTP")"));
}

CAF_TEST(a crash ends one worker and not the zygote) {
  auto worker = built::instance().worker();
  auto other = built::instance().worker();
  CAF_CHECK_EQUAL(worker
                      ->call(built::header_of("function", "math.misbehave"), R"({"input":"crash"})",
                             patience_ms)
                      .status,
                  502);
  CAF_CHECK_EQUAL(misbehave(*other, "nothing"), R"({"output":0})");
  CAF_CHECK_EQUAL(misbehave(*built::instance().worker(), "nothing"), R"({"output":0})");
}

CAF_TEST(a worker that does not answer is told from one that crashed) {
  auto worker = built::instance().worker();
  CAF_CHECK_EQUAL(
      worker->call(built::header_of("function", "math.misbehave"), R"({"input":"loop"})", 100)
          .status,
      504);
}

CAF_TEST(what a function prints never reaches a frame) {
  auto worker = built::instance().worker();
  CAF_CHECK_EQUAL(misbehave(*worker, "print"), R"({"output":0})");
}

CAF_TEST(a worker reaches no files and no network and no processes) {
  auto worker = built::instance().worker();
  for (auto how : {"open", "write", "socket", "fork", "exec", "kill", "descriptors"}) {
    CAF_MESSAGE(how);
    CAF_CHECK_EQUAL(misbehave(*worker, how), R"({"output":0})");
  }
}

CAF_TEST(all faults that the compiler finds are told at their places) {
  auto& it = built::instance();
  json files;
  files.add("math.hpp", R"cpp(#pragma once
#include <caf_app/eval.hpp>
using namespace caf_app::eval;
struct plain { int x; };
nat good(nat a);
nat other(const nat& a);
json wrong(json a);
plain odd(nat a);
)cpp");
  files.add("math.cpp", "#include \"math.hpp\"\nnat good(nat a) { return b; }\n");
  auto broken = graph("broken", "auto a = input<json>(\"a\");\nreturn math::good(\n  a);");
  const auto request =
      request_of(declared(files,
                          {function("good", "nat(nat)"), function("other", "nat(nat)"),
                           function("wrong", "json(json)"), function("odd", "plain(nat)")},
                          {broken}),
                 it.folder / "bad");
  auto result = build_driver(request, it.tools);
  CAF_CHECK(result.how == build_result::end::failed);
  const auto text = to_text(to_json(result.diagnostics));
  for (
      auto part :
      {R"j("name":"math.other","severity":"error","message":"'other' in math.hpp is no function of )j"
       R"j(exactly the type nat(nat)")j",
       R"j("name":"math.odd","severity":"error","message":"the result, plain, does not cross as JSON")j",
       R"j("name":"broken","severity":"error","message":"argument 1 of math::good is nat, got json",)j"
       R"j("file":null,"line":3,"column":3)j",
       R"j("file":"math.cpp","line":2)j"}) {
    CAF_MESSAGE("looking for " << part << " in " << text);
    CAF_CHECK(text.find(part) != std::string::npos);
  }
  CAF_CHECK(content_of(it.folder / "bad/log").find("error:") != std::string::npos);
}

CAF_TEST(faults that the linker finds are told and a cancelled build ends) {
  auto& it = built::instance();
  json files;
  files.add("math.hpp", "#pragma once\n#include <caf_app/eval.hpp>\n"
                        "caf_app::eval::nat gone(caf_app::eval::nat a);\n");
  files.add("main.cpp", "int main() {}\n");
  const auto what = declared(files, {function("gone", "nat(nat)")}, {});
  auto result = build_driver(request_of(what, it.folder / "link"), it.tools);
  CAF_CHECK(result.how == build_result::end::failed);
  const auto text = to_text(to_json(result.diagnostics));
  CAF_CHECK(text.find("the project defines main") != std::string::npos);
  CAF_CHECK(text.find("declared in math.hpp but not defined: gone") != std::string::npos);
  auto request = request_of(what, it.folder / "cancelled");
  owned_fd cancel{::eventfd(1, EFD_CLOEXEC)};
  request.cancel_fd = cancel.get();
  CAF_CHECK(build_driver(request, it.tools).how == build_result::end::cancelled);
}

CAF_TEST(a project that prints while it is loaded fills no disk) {
  auto& it = built::instance();
  json files;
  files.add("loud.hpp", "#pragma once\n#include <caf_app/eval.hpp>\n"
                        "caf_app::eval::nat one();\n");
  files.add("loud.cpp", R"cpp(#include "loud.hpp"
#include <cstdio>
caf_app::eval::nat one() { return 1; }
const int printed = [] {
  for (std::puts("the beginning");;)
    std::puts("and so on, for ever");
  return 0;
}();
)cpp");
  json one;
  for (auto [member, value] : {std::pair{"name", "one"},
                               {"header", "loud.hpp"},
                               {"function", "one"},
                               {"signature", "nat()"}})
    one.add(member, value);
  auto hasty = it.tools;
  hasty.handshake_timeout_ms = 1'000;
  auto result = build_driver(request_of(declared(files, {one}, {}), it.folder / "loud"), hasty);
  CAF_CHECK(result.how == build_result::end::failed);
  CAF_CHECK_EQUAL(result.error, "the driver does not start: the driver did not answer in time");
  const auto log = content_of(it.folder / "loud/log");
  CAF_CHECK(log.find("== starting the driver\nthe beginning\nand so on") != std::string::npos);
  CAF_CHECK(log.ends_with("\n== the log is full: the rest is cut\n"));
  CAF_CHECK_LESS(log.size(), limit::build_log_bytes + 100);
}

CAF_TEST(a header that cannot be made is told with the reason) {
  auto& it = built::instance();
  auto broken = it.tools;
  broken.cache_folder = it.folder / "empty cache";
  const auto says = [&](const std::string& compiler, const std::string& folder,
                        std::string_view why) {
    broken.compiler = compiler;
    const auto said = warm_up(it.folder / folder, broken, -1);
    CAF_MESSAGE(said);
    CAF_CHECK(said.find(why) != std::string::npos);
  };
  says("/bin/false", "warm", "the evaluator's header does not compile");
  says("/nowhere/c++", "warm", "does not compile: confine: exec: No such file or directory");
  says(it.tools.compiler, "good/log/warm", "its folder cannot be written");
  CAF_CHECK_EQUAL(warm_up(it.folder / "warm", it.tools, -1), "");
}
