#define CAF_SUITE http_config_upstream
#include "actors/http/http_config.hpp"

#include <caf/test/unit_test.hpp>

#include "caf_app/base/config.hpp"
#include "caf_app/base/error.hpp"

#include "support/http/config_reading.hpp"

using namespace caf_app;
using namespace caf_app::http;
using namespace caf_app::http::test;
using namespace std::chrono_literals;

namespace {

/// An upstream "u" with these servers and keys, behind a route.
reading read_upstream(const std::string& servers, const std::string& rest = "",
                      const std::string& route = "proxy = \"u\"") {
  return read("[[http.upstream]]\nname = \"u\"\nservers = [" + servers + "]\n" + rest +
              "\n[[http.site]]\nhost = \"*\"\n[[http.site.route]]\npath = \"/a\"\n" + route);
}

const std::string one = "\"http://127.0.0.1:80\"";

} // namespace

CAF_TEST(an upstream needs a name and servers) {
  const auto [value, error] = read_upstream(one);
  CAF_CHECK_EQUAL(error, "");
  CAF_REQUIRE_EQUAL(value.upstream.size(), 1u);
  const auto& upstream = value.upstream[0];
  CAF_CHECK_EQUAL(upstream.name, "u");
  CAF_REQUIRE_EQUAL(upstream.servers.size(), 1u);
  CAF_CHECK_EQUAL(upstream.servers[0].address, "127.0.0.1:80");
  CAF_CHECK(upstream.servers[0].scheme == upstream_scheme::http);
  CAF_CHECK(upstream.balance == balance_kind::least_conn);
  CAF_CHECK(upstream.max_conns == 256 && upstream.queue == 256 && upstream.keepalive == 64);
  CAF_CHECK(upstream.queue_timeout == 1s && upstream.keepalive_idle == 15s);
  CAF_CHECK(upstream.connect_timeout == 1s && upstream.first_byte_timeout == 30s);
  CAF_CHECK(upstream.retries == 1 && upstream.retry_budget == 0.2);
  CAF_CHECK(upstream.eject_fails == 5 && upstream.eject_max == 0.5 && upstream.slow_start == 0s);
  CAF_CHECK(!upstream.health && upstream.verify);
  CAF_CHECK(value.site[0].route[0].kind == route_kind::proxy);
  CAF_CHECK_EQUAL(value.site[0].route[0].proxy.upstream, "u");
  CAF_CHECK_EQUAL(value.site[0].route[0].methods.size(), 7u);
}

CAF_TEST(every key is read) {
  const auto [value, error] =
      read_upstream("\"https://a.example:8443/\", \"unix:/run/x\", {address = \"http://[::1]:81\", "
                    "weight = 3, backup = true}",
                    R"(
balance = "hash:path"
max_conns = 7
queue = 0
queue_timeout = "2s"
keepalive = 0
keepalive_idle = "3s"
max_age = "4s"
connect_timeout = "5s"
first_byte_timeout = "6s"
read_timeout = "7s"
retries = 0
retry_budget = 1
eject_fails = 0
eject_window = "8s"
eject_time = "9s"
eject_max = 0.25
slow_start = "10s"
health = { path = "/health?x", period = "1s", timeout = "500ms", rise = 1, fall = 2 }
verify = false
ca = "ca.pem"
sni = "b.example"
)",
                    "proxy = \"u\"\nstrip_prefix = true\npreserve_host = true\nwebsocket = "
                    "true\nunderscores = true");
  CAF_CHECK_EQUAL(error, "");
  CAF_REQUIRE_EQUAL(value.upstream.size(), 1u);
  const auto& upstream = value.upstream[0];
  CAF_REQUIRE_EQUAL(upstream.servers.size(), 3u);
  CAF_CHECK(upstream.servers[0].scheme == upstream_scheme::https);
  CAF_CHECK_EQUAL(upstream.servers[0].address, "a.example:8443");
  CAF_CHECK_EQUAL(upstream.servers[1].address, "unix:/run/x");
  CAF_CHECK(upstream.servers[1].is_unix());
  CAF_CHECK(upstream.servers[2].weight == 3 && upstream.servers[2].backup);
  CAF_CHECK(upstream.balance == balance_kind::hash_path);
  CAF_CHECK(upstream.max_conns == 7 && upstream.queue == 0 && upstream.keepalive == 0);
  CAF_CHECK(upstream.read_timeout == 7s && upstream.eject_time == 9s && upstream.slow_start == 10s);
  CAF_CHECK(upstream.retry_budget == 1 && upstream.eject_max == 0.25);
  CAF_REQUIRE(upstream.health.has_value());
  CAF_CHECK_EQUAL(upstream.health->path, "/health?x");
  CAF_CHECK(upstream.health->rise == 1 && upstream.health->fall == 2);
  CAF_CHECK(!upstream.verify);
  CAF_CHECK_EQUAL(upstream.ca, "/etc/app/ca.pem");
  CAF_CHECK_EQUAL(upstream.sni, "b.example");
  const auto& route = value.site[0].route[0].proxy;
  CAF_CHECK(route.strip_prefix && route.preserve_host && route.websocket && route.underscores);
}

CAF_TEST(a server that is none is refused) {
  for (const std::string bad :
       {"\"127.0.0.1:80\"", "\"http://a\"", "\"http://a:0\"", "\"http://a:80/path\"",
        "\"ftp://a:80\"", "\"unix:\"", "\"unix:/\"", "\"unix:relative\"", "80", "{weight = 1}"}) {
    const auto error = read_upstream(bad).error;
    CAF_CHECK(error.find("f.toml:3") != error.npos);
  }
  CAF_CHECK_EQUAL(read_upstream("\"unix:/" + std::string(106, 'x') + "\"").error, "");
  CAF_CHECK(!read_upstream("\"unix:/" + std::string(107, 'x') + "\"").error.empty());
}

CAF_TEST(what contradicts itself is refused) {
  const auto complains = [](const reading& got, std::string_view part) {
    const auto found = got.error.find(part) != got.error.npos;
    if (!found)
      CAF_MESSAGE("it said: " << got.error);
    return found;
  };
  CAF_CHECK(complains(read_upstream(""), "at least one server"));
  CAF_CHECK(complains(read_upstream("{address = \"http://a:1\", backup = true}"), "no backup"));
  CAF_CHECK(complains(read_upstream(one, "verify = false"), "https://"));
  CAF_CHECK(complains(read_upstream(one, "retry_budget = 1.1"), "a number of 0 to 1"));
  CAF_CHECK(complains(read_upstream(one, "health = { period = \"1s\" }"), "\"path\" is missing"));
  CAF_CHECK(complains(read_upstream(one, "health = { path = \"x\" }"), "starts with"));
  CAF_CHECK(complains(read_upstream("\"fcgi://a:1\""), "fcgi://"));
  CAF_CHECK(complains(read_upstream(one, "", "proxy = \"v\""), "no [[http.upstream]] \"v\""));
  CAF_CHECK(
      complains(read_upstream(one, "", "respond = {}\nwebsocket = true"), "belongs to \"proxy\""));
  CAF_CHECK(complains(read("[[http.upstream]]\nname = \"u\"\nservers = [" + one +
                           "]\n[[http.upstream]]\nname = \"u\"\nservers = [" + one + "]\n"),
                      "\"u\" twice"));
}

CAF_TEST(counts have their limits) {
  for (const auto& [text, good] :
       std::vector<std::pair<std::string, bool>>{{"max_conns = 0", false},
                                                 {"max_conns = 1", true},
                                                 {"max_conns = 1000000", true},
                                                 {"max_conns = 1000001", false},
                                                 {"retries = 100", true},
                                                 {"retries = 101", false},
                                                 {"connect_timeout = \"9ms\"", false},
                                                 {"connect_timeout = \"10ms\"", true},
                                                 {"slow_start = \"1h\"", true},
                                                 {"slow_start = \"61m\"", false}})
    CAF_CHECK_EQUAL(read_upstream(one, text).error.empty(), good);
}

CAF_TEST(a route of an upstream that is refused is not refused as well) {
  const auto error = read_upstream("\"ftp://a:80\"").error;
  CAF_CHECK(error.find("f.toml:3:12: found the string") != error.npos);
  CAF_CHECK_EQUAL(error.find('\n'), error.npos);
  CAF_CHECK_EQUAL(error.find("there is no"), error.npos);
}
