#define CAF_SUITE eval_config
#include "actors/eval/eval_config.hpp"

#include <caf/test/unit_test.hpp>

#include "support/config_reading.hpp"

using namespace std::chrono_literals;
using namespace caf_app;
using namespace caf_app::eval;

namespace {

/// Reads the lines of an [eval] section. @returns the complaint, empty if there is none
std::string read(const std::string& lines, eval_config& to) {
  auto [value, error] =
      caf_app::test::read_config<eval_config>("[eval]\n" + lines, {}, [](auto& file, auto& out) {
        file.read("eval", eval_config_rule(), out);
      });
  to = value;
  return error;
}

std::string complaint(const std::string& lines) {
  eval_config ignored;
  return read(lines, ignored);
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

} // namespace

CAF_TEST(an empty section has the documented defaults) {
  eval_config got;
  CAF_CHECK_EQUAL(read("", got), "");
  CAF_CHECK_EQUAL(got.workers, 4u);
  CAF_CHECK_EQUAL(got.build_slots, 1u);
  CAF_CHECK(got.build_timeout == 10min && got.fetch_timeout == 2min && got.call_timeout == 60s);
  CAF_CHECK(got.handshake_timeout == 5s && got.idle_timeout == 5min);
  CAF_CHECK_EQUAL(got.queue_max, 1024u);
  CAF_CHECK_EQUAL(got.tenant_share, 0.5);
  CAF_CHECK_EQUAL(got.memory, 512 * limits::mib);
  CAF_CHECK_EQUAL(got.processes, 1u);
  CAF_CHECK_EQUAL(got.store_max, 4096 * limits::mib);
  CAF_CHECK(!got.allow_local && got.confinement == confinement_wanted::best);
}

CAF_TEST(every key is read) {
  eval_config got;
  CAF_CHECK_EQUAL(read(R"(workers = 64
build_slots = 2
build_timeout = "1m"
fetch_timeout = "2s"
call_timeout = "3s"
handshake_timeout = "4s"
idle_timeout = "5s"
queue_max = 7
tenant_share = 1
memory = "1GiB"
processes = 1
store_max = "1GiB"
allow_local = true
confinement = "required"
state_key_file = "key"
tokens_file = "/t"
salt_file = "salt")",
                       got),
                  "");
  CAF_CHECK_EQUAL(got.workers, 64u);
  CAF_CHECK(got.build_timeout == 1min && got.fetch_timeout == 2s && got.call_timeout == 3s);
  CAF_CHECK(got.handshake_timeout == 4s && got.idle_timeout == 5s);
  CAF_CHECK_EQUAL(got.tenant_share, 1.0);
  CAF_CHECK(got.confinement == confinement_wanted::required);
  CAF_CHECK_EQUAL(got.state_key_file.string(), "/etc/app/key");
  CAF_CHECK_EQUAL(got.tokens_file.string(), "/t");
}

CAF_TEST(bounds are checked) {
  for (auto lines :
       {"workers = 0", "workers = 65", "build_slots = 0", "build_slots = 17", "queue_max = 0",
        "call_timeout = \"9ms\"", "idle_timeout = \"25h\"", "memory = \"63MiB\"", "processes = 0",
        "processes = 2", "store_max = \"15MiB\"", "confinement = \"maybe\"", "token = \"short\"",
        "workers = \"4\""})
    CAF_CHECK(contains(complaint(lines), "f.toml:2:"));
  for (auto lines : {"workers = 1", "workers = 64", "call_timeout = \"10ms\"",
                     "idle_timeout = \"24h\"", "memory = \"64MiB\"", "store_max = \"16MiB\""})
    CAF_CHECK_EQUAL(complaint(lines), "");
}

CAF_TEST(a share lies above 0 and not above 1) {
  for (auto lines : {"tenant_share = 0", "tenant_share = 0.0", "tenant_share = 1.01",
                     "tenant_share = -1", "tenant_share = nan", "tenant_share = \"0.5\""})
    CAF_CHECK(contains(complaint(lines), "expected a number above 0, at most 1"));
  for (auto lines : {"tenant_share = 0.01", "tenant_share = 1.0"})
    CAF_CHECK_EQUAL(complaint(lines), "");
}

CAF_TEST(one kind of token at a time) {
  CAF_CHECK(contains(complaint("token = \"0123456789abcdef\"\ntokens_file = \"t\""),
                     "expected one of them"));
}

CAF_TEST(an unknown key gets a hint) { CAF_CHECK(contains(complaint("worker = 4"), "workers")); }
