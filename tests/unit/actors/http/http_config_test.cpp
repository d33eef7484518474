#define CAF_SUITE http_config
#include "actors/http/http_config.hpp"

#include <caf/test/unit_test.hpp>

#include "caf_app/base/config.hpp"
#include "caf_app/base/error.hpp"

#include "support/http/config_reading.hpp"
#include "caf_app/base/units.hpp"

using namespace caf_app;
using namespace caf_app::http;
using namespace caf_app::http::test;
using namespace std::chrono_literals;

namespace {

const std::string prefix = "invalid configuration: f.toml:";
const std::string site = "[[http.site]]\nhost = \"*\"\n";                // two lines
const std::string route = site + "[[http.site.route]]\npath = \"/a\"\n"; // four lines
const std::vector<std::string> all{"DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"};

/// The only route of a site with this route text.
http_route only_route(const std::string& rest, const std::string& before = "") {
  auto [value, error] = read(before + route + rest);
  CAF_CHECK_EQUAL(error, "");
  CAF_REQUIRE(value.site.size() == 1 && value.site[0].route.size() == 1);
  return value.site[0].route[0];
}

} // namespace

CAF_TEST(without a section every default holds) {
  const auto [value, error] = read("");
  CAF_CHECK_EQUAL(error, "");
  CAF_CHECK(value.listen.empty());
  CAF_CHECK_EQUAL(value.loops, 1u);
  CAF_CHECK_EQUAL(value.backlog, 1024);
  CAF_CHECK_EQUAL(value.server, "caf_app");
  CAF_CHECK(value.unknown_host == unknown_host::misdirected);
  CAF_CHECK(!value.pin && !value.test_hooks);
  CAF_CHECK_EQUAL(value.limits.max_header_bytes, 32 * limits::kib);
  CAF_CHECK_EQUAL(value.limits.max_body, 10 * limits::mib);
  CAF_CHECK(value.limits.connection_max_age == 10min);
}

CAF_TEST(a site with routes of each kind is read) {
  const auto [value, error] = read(R"(
[http]
listen = ["127.0.0.1:8080", "[::1]:0"]
loops = 2
pin = true
backlog = 64
server = ""
unknown_host = 404
access_log = "log/access"
access_format = "json"
test_hooks = true
[http.limits]
max_body = "1MiB"
[[http.site]]
host = ["Example.ORG.", "*.example.org", "127.0.0.1", "[::1]"]
headers = { X-A = "1" }
  [[http.site.route]]
  path = "/hello"
  match = "exact"
  name = "greeting"
  respond = { status = 201, type = "text/html", body = "Hi", headers = { X-B = "2" } }
  [[http.site.route]]
  path = "/greet"
  actor = "greeter"
  face = "http"
  timeout = "2s"
  [[http.site.route]]
  path = "/old/"
  redirect = { to = "https://new.example.org${path}?${query}", status = 301 }
)");
  CAF_CHECK_EQUAL(error, "");
  CAF_REQUIRE_EQUAL(value.listen.size(), 2u);
  CAF_CHECK_EQUAL(to_string(value.listen[1]), "[::1]:0");
  CAF_CHECK(value.loops == 2 && value.pin && value.backlog == 64 && value.server.empty());
  CAF_CHECK(value.unknown_host == unknown_host::not_found);
  CAF_CHECK_EQUAL(value.access_log, "/etc/app/log/access");
  CAF_CHECK(value.access_format == access_format::json && value.test_hooks);
  CAF_REQUIRE_EQUAL(value.site.size(), 1u);
  const std::vector<std::string> hosts{"example.org", "*.example.org", "127.0.0.1", "[::1]"};
  CAF_CHECK(value.site[0].host == hosts);
  CAF_CHECK_EQUAL(value.site[0].headers.size(), 1u);
  const auto& routes = value.site[0].route;
  CAF_REQUIRE_EQUAL(routes.size(), 3u);
  CAF_CHECK(routes[0].kind == route_kind::respond && routes[0].match == route_match::exact);
  CAF_CHECK_EQUAL(routes[0].name, "greeting");
  CAF_CHECK_EQUAL(routes[0].respond.status, 201);
  CAF_CHECK_EQUAL(routes[0].respond.body, "Hi");
  CAF_CHECK_EQUAL(routes[0].respond.headers.at(0).second, "2");
  CAF_CHECK(routes[1].kind == route_kind::actor && routes[1].actor.face == actor_face::http);
  CAF_CHECK_EQUAL(routes[1].actor.name, "greeter");
  CAF_CHECK_EQUAL(routes[1].name, "/greet");
  CAF_CHECK(routes[2].kind == route_kind::redirect);
  CAF_CHECK_EQUAL(routes[2].redirect.status, 301);
}

CAF_TEST(a list of listeners may be set on the command line) {
  const auto [value, error] = read(
      "", {"http.listen=[\"127.0.0.1:0\"]", "http.test_hooks=true", "http.limits.max_body=1MiB"});
  CAF_CHECK_EQUAL(error, "");
  CAF_CHECK_EQUAL(value.listen.size(), 1u);
  CAF_CHECK(value.test_hooks);
  CAF_CHECK_EQUAL(value.limits.max_body, limits::mib);
}

CAF_TEST(methods come from the kind unless written) {
  CAF_CHECK(only_route("respond = {}").methods == (std::vector<std::string>{"GET", "HEAD"}));
  CAF_CHECK(only_route("redirect = { to = \"/b\" }").methods.empty());
  CAF_CHECK(only_route("actor = \"x\"").methods == all);
  CAF_CHECK(only_route("actor = \"x\"\nmethods = [\"POST\", \"GET\", \"POST\"]").methods ==
            (std::vector<std::string>{"GET", "HEAD", "POST"}));
  CAF_CHECK(only_route("actor = \"x\"\nmethods = [\"PUT\"]").methods ==
            std::vector<std::string>{"PUT"});
}

CAF_TEST(effective limits of a route come from it or from the limits) {
  const std::string small =
      "[http.limits]\nmax_body = \"4KiB\"\ntimeout = \"3s\"\nbody_memory = 0\n";
  const std::string large = "[http.limits]\nmax_body = \"1GiB\"\n";
  const std::string own = "\nmax_body = \"2MiB\"\ntimeout = \"1s\"";
  const auto body = [](const http_route& x) { return x.max_body; };
  CAF_CHECK_EQUAL(body(only_route("respond = {}")), 10 * limits::mib);
  CAF_CHECK_EQUAL(body(only_route("respond = {}", small)), 4 * limits::kib);
  CAF_CHECK_EQUAL(body(only_route("respond = {}" + own, small)), 2 * limits::mib);
  CAF_CHECK_EQUAL(body(only_route("actor = \"x\"")), limits::mib);
  CAF_CHECK_EQUAL(body(only_route("actor = \"x\"", small)), 4 * limits::kib);
  CAF_CHECK_EQUAL(body(only_route("actor = \"x\"", large)), limits::mib);
  CAF_CHECK_EQUAL(body(only_route("actor = \"x\"" + own, small)), 2 * limits::mib);
  CAF_CHECK(only_route("actor = \"x\"").timeout == 60s);
  CAF_CHECK(only_route("actor = \"x\"", small).timeout == 3s);
  CAF_CHECK(only_route("actor = \"x\"" + own, small).timeout == 1s);
}

CAF_TEST(each limit holds at both ends) {
  struct row {
    std::string key, below, lowest, highest, above; // empty: nothing is there
  };
  const auto tick = toml_quoted(format_duration(limits::loop::tick));
  const auto below_tick = toml_quoted(format_duration(limits::loop::tick - 1ms));
  const std::vector<row> rows{
      {"max_header_bytes", "255", "16384", "65536", "65537"},
      {"max_headers", "0", "1", "1000", "1001"},
      {"max_target", "255", "256", "32767", "32768"}, // below max_header_bytes
      {"max_body", "-1", "0", "\"1024GiB\"", "\"1025GiB\""},
      {"max_connections", "0", "1", "1000000", "1000001"},
      {"max_per_ip", "-1", "0", "1000000", "1000001"},
      {"first_byte_timeout", below_tick, tick, "\"24h\"", "\"25h\""},
      {"header_timeout", below_tick, tick, "\"24h\"", "\"25h\""},
      {"body_timeout", below_tick, tick, "\"24h\"", "\"25h\""},
      {"send_timeout", below_tick, tick, "\"24h\"", "\"25h\""},
      {"keepalive_idle", below_tick, tick, "\"24h\"", "\"25h\""},
      {"connection_max_age", below_tick, tick, "\"24h\"", "\"25h\""},
      {"timeout", below_tick, tick, "\"24h\"", "\"25h\""},
      {"shed_lag", "\"9ms\"", "\"10ms\"", "\"1h\"", "\"61m\""},
      {"linger", "0", "\"0s\"", "\"1m\"", "\"61s\""},
      {"drain_deadline", "0", "\"0s\"", "\"1h\"", "\"61m\""},
      {"body_min_rate", "-1", "0", "\"1MiB\"", "1048577"},
      {"keepalive_requests", "0", "1", "1000000", "1000001"},
  };
  for (const auto& [key, below, lowest, highest, above] : rows) {
    CAF_MESSAGE(key);
    const auto with = [&](const std::string& value) {
      return read("[http.limits]\n" + key + " = " + value).error;
    };
    CAF_CHECK_EQUAL(with(lowest), "");
    CAF_CHECK_EQUAL(with(highest), "");
    CAF_CHECK_NOT_EQUAL(with(below), "");
    CAF_CHECK_NOT_EQUAL(with(above), "");
  }
}

CAF_TEST(a broken section is refused with line and column and what was expected) {
  const std::string path = "a path that starts with \"/\", without dot segments and query";
  const std::string target =
      "a path or http(s) URI, with no other placeholders than ${path} and ${query}";
  const std::vector<std::pair<std::string, std::string>> rows{
      {"[http]\nlisen = []", "2:1: unknown key \"lisen\" in [http]; did you mean \"listen\"?"},
      {"[http]\nlisten = [\"example.org:80\"]",
       "2:11: found the string \"example.org:80\", expected \"address:port\" such as "
       "\"127.0.0.1:8080\" or \"[::1]:8080\""},
      {"[http]\nlisten = [\"1.2.3.4:80\", \"1.2.3.4:80\"]",
       "2:25: found the address \"1.2.3.4:80\" twice"},
      {"[http]\nloops = 0", "2:9: found the integer 0, expected an integer of 1 to 256"},
      {"[http]\nloops = 257", "2:9: found the integer 257, expected an integer of 1 to 256"},
      {"[http]\nunknown_host = 400", "2:16: found the integer 400, expected 421, 404 or \"close\""},
      {"[http.limits]\nmax_boddy = 1",
       "2:1: unknown key \"max_boddy\" in [http.limits]; did you mean \"max_body\"?"},
      {"[http.limits]\nmax_target = \"32KiB\"", "2:14: expected max_target below max_header_bytes"},
      {"[[http.site]]\n",
       "1:1: key \"host\" is missing in [[http.site]], expected host or list of them"},
      {"[[http.site]]\nhost = []", "2:8: found a list, expected at least one host"},
      {"[[http.site]]\nhost = \"a:80\"",
       "2:8: found the string \"a:80\", expected a host without port such as \"example.org\", "
       "\"*.example.org\" or \"*\""},
      {"[[http.site]]\nhost = \"a.*.b\"",
       "2:8: found the string \"a.*.b\", expected a host without port such as \"example.org\", "
       "\"*.example.org\" or \"*\""},
      {site + "[[http.site]]\nhost = [\"a\", \"*\"]", "4:8: the host \"*\" already has a site"},
      {route, "3:1: found a route without a kind, expected \"respond\", \"files\", \"actor\", "
              "\"redirect\", \"eval\", \"proxy\" or \"fastcgi\""},
      {route + "respond = {}\nactor = \"x\"",
       "6:9: found \"actor\" beside \"respond\", expected one kind per route"},
      {route + "respond = {}\nface = \"http\"",
       "6:8: found \"face\", which belongs to \"actor\", in a route with \"respond\""},
      {route + "respond = {}\ncache = true",
       "6:9: found \"cache\", which belongs to \"actor\", \"proxy\" or \"fastcgi\", in a route "
       "with \"respond\""},
      {route + "respond = {}\nsite = \"*\"",
       "6:1: found \"site\" in a route, expected the route below the [[http.site]] that it belongs "
       "to"},
      {site + "[[http.site]]\nhost = [\"a\"]\n[[http.route]]\npath = \"/\"",
       "5:8: found a route without a site, expected [[http.site.route]] below the [[http.site]] "
       "that it belongs to, of \"*\" or \"a\""},
      {"[[http.route]]\npath = \"/\"",
       "1:8: found a route without a site, expected [[http.site.route]] below the [[http.site]] "
       "that it belongs to, of which the file has none"},
      {"[[http.site.route]]\npath = \"/\"\nrespond = {}",
       "1:1: found one table, expected [[http.site]] with \"host\" for each site, and below it "
       "[[http.site.route]] for each of its routes"},
      {route + "eval = false", "5:8: found the boolean false, expected true"},
      {route + "respond = { statsu = 200 }", "5:13: unknown key \"statsu\" in "
                                             "[http.site.route.respond]; did you mean \"status\"?"},
      {route + "respond = { status = 199 }",
       "5:22: found the integer 199, expected an integer of 200 to 599"},
      {route + "respond = { status = 204, body = \"x\" }",
       "5:34: expected no body with status 204"},
      {route + "respond = {}\nheaders = { \"a b\" = \"1\" }",
       "6:13: found \"a b\", expected a field name"},
      {route + "respond = {}\nheaders = { Content-Length = \"1\" }",
       "6:13: the field \"Content-Length\" is set by the server"},
      {route + "respond = {}\nheaders = { a = \"x\\r\\ny\" }",
       "6:17: found the string \"x\\r\\ny\", expected a field value without control bytes"},
      {route + "redirect = {}",
       "5:12: key \"to\" is missing in [http.site.route.redirect], expected "
       "string"},
      {route + "redirect = { to = \"b\" }", "5:19: found the string \"b\", expected " + target},
      {route + "redirect = { to = \"/${host}\" }",
       "5:19: found the string \"/${host}\", expected " + target},
      {route + "redirect = { to = \"/\", status = 304 }",
       "5:33: found the integer 304, expected 301, 302, 303, 307 or 308"},
      {route + "actor = \"\"", "5:9: found the string \"\", expected the name of an actor"},
      {route + "actor = \"x\"\nmethods = []", "6:11: found a list, expected at least one method"},
      {route + "actor = \"x\"\nmethods = [\"get\"]",
       "6:12: found the string \"get\", expected \"DELETE\", \"GET\", \"HEAD\", \"OPTIONS\", "
       "\"PATCH\", \"POST\" or \"PUT\""},
      {site + "[[http.site.route]]\nactor = \"x\"",
       "3:1: key \"path\" is missing in [[http.site.route]], expected path"},
      {site + "[[http.site.route]]\npath = \"a\"\nactor = \"x\"",
       "4:8: found the string \"a\", expected " + path},
      {route + "actor = \"x\"\n[[http.site.route]]\npath = \"/a\"\nrespond = {}",
       "7:8: the path \"/a\" already has a route with the same methods and match"},
  };
  for (const auto& [text, complaint] : rows)
    CAF_CHECK_EQUAL(read(text).error, prefix + complaint);
}

CAF_TEST(paths are written as requests are seen) {
  const auto with = [](const std::string& path) {
    return read(site + "[[http.site.route]]\nrespond = {}\npath = '" + path + "'").error;
  };
  for (const auto* path : {"/", "/a/b/", "/a.b/..c", "/%20x", "/a:b@c", "//a"})
    CAF_CHECK_EQUAL(with(path), "");
  for (const auto* path : {"", "a", "/a?b", "/a#b", "/a b", "/%2f", "/%zz", "/%2", "/./a", "/a/..",
                           "/a\\b", "/\xC3\xBC"})
    CAF_CHECK_NOT_EQUAL(with(path), "");
}

CAF_TEST(one path may have routes for different methods or matches) {
  const std::string get = "respond = {}\n";
  const std::string post = "actor = \"x\"\nmethods = [\"POST\"]\n";
  const std::string again = "[[http.site.route]]\npath = \"/a\"\n";
  CAF_CHECK_EQUAL(read(route + get + again + post).error, "");
  CAF_CHECK_EQUAL(read(route + get + again + get + "match = \"exact\"").error, "");
  CAF_CHECK_NOT_EQUAL(read(route + post + again + "redirect = { to = \"/\" }").error, "");
}

CAF_TEST(every kind has a word) {
  CAF_CHECK_EQUAL(to_string(route_kind::respond), "respond");
  CAF_CHECK_EQUAL(to_string(route_kind::actor), "actor");
  CAF_CHECK_EQUAL(to_string(route_kind::redirect), "redirect");
}

CAF_TEST(the reference tells the defaults) {
  const auto keys = http_limits_rule().keys;
  const auto fallback = [&](std::string_view name) {
    for (const auto& key : keys)
      if (key.name == name)
        return key.fallback;
    return std::string{"none"};
  };
  CAF_CHECK_EQUAL(fallback("max_header_bytes"), "\"32KiB\"");
  CAF_CHECK_EQUAL(fallback("max_headers"), "100");
  CAF_CHECK_EQUAL(fallback("keepalive_idle"), "\"1m\"");
  CAF_CHECK_EQUAL(fallback("linger_bytes"), "\"256KiB\"");
  CAF_CHECK_EQUAL(keys.size(), 26u);
}

CAF_TEST(files are served as the keys beside them say) {
  const auto plain = only_route("files = \"www\"");
  CAF_CHECK(plain.kind == route_kind::files);
  CAF_CHECK_EQUAL(plain.files.root, "/etc/app/www");
  CAF_CHECK_EQUAL(plain.methods, (std::vector<std::string>{"GET", "HEAD"}));
  CAF_CHECK_EQUAL(plain.files.index, std::vector<std::string>{"index.html"});
  CAF_CHECK(!plain.files.listing && plain.compress && !plain.max_age);
  CAF_CHECK(plain.files.dotfiles == dotfiles::hide);
  CAF_CHECK(plain.files.symlinks == symlinks::inside);
  CAF_CHECK(plain.files.precompressed == (std::vector{coding::br, coding::zstd, coding::gzip}));
  CAF_CHECK(plain.paths.slashes == slashes::merge);
  const auto full =
      only_route("files = \"/srv\"\nindex = [\"a.html\", \"b.html\"]\nlisting = true\n"
                 "dotfiles = true\nsymlinks = \"none\"\nprecompressed = [\"gzip\"]\n"
                 "max_age = \"1h\"\nfallback = \"/app/x.html\"\n"
                 "types = { WASM = \"application/wasm\", \".x\" = \"a/b\" }\n"
                 "compress = false\nmerge_slashes = false\nencoded_slash = \"keep\"");
  CAF_CHECK_EQUAL(full.files.root, "/srv");
  CAF_CHECK_EQUAL(full.files.index.size(), 2u);
  CAF_CHECK(full.files.listing && !full.compress);
  CAF_CHECK(full.files.dotfiles == dotfiles::serve);
  CAF_CHECK(full.files.symlinks == symlinks::none);
  CAF_CHECK(full.files.precompressed == std::vector{coding::gzip});
  CAF_CHECK(full.max_age == std::chrono::seconds{3600});
  CAF_CHECK_EQUAL(full.files.fallback, "app/x.html");
  CAF_CHECK_EQUAL(full.files.types.at("wasm"), "application/wasm");
  CAF_CHECK_EQUAL(full.files.types.at("x"), "a/b");
  CAF_CHECK(full.paths.slashes == slashes::keep);
  CAF_CHECK(full.paths.encoded_slash == encoded_slash::keep);
  CAF_CHECK(only_route("respond = {}").paths.slashes == slashes::keep);
  CAF_CHECK(only_route("respond = {}\nmerge_slashes = true").paths.slashes == slashes::merge);
}

CAF_TEST(what files cannot be is refused where it stands) {
  const auto complaint = [](const std::string& rest) { return read(route + rest).error; };
  const std::pair<const char*, const char*> bad[]{
      {"files = \"\"", "5:9: found the string \"\", expected the path of a directory"},
      {"files = \"x\"\nmatch = \"exact\"",
       "6:9: found an exact match beside \"files\", expected \"prefix\""},
      {"files = \"x\"\nindex = [\"a/b\"]",
       "6:10: found the string \"a/b\", expected the name of a file"},
      {"files = \"x\"\nfallback = \"../x\"",
       "6:12: found the string \"../x\", expected a name below the root, or nothing"},
      {"files = \"x\"\nmax_age = \"1500ms\"",
       "6:11: found the string \"1500ms\", expected whole seconds"},
      {"files = \"x\"\nprecompressed = [\"br\", \"br\"]",
       "6:17: found a list, expected each coding once"},
      {"files = \"x\"\ntypes = { \"a.b\" = \"x/y\" }",
       "6:11: found \"a.b\", expected the end of file names, such as \"wasm\""},
      {"files = \"x\"\ntypes = { a = \"text\" }",
       "6:15: found the string \"text\", expected a media type such as \"text/plain\""},
      {"respond = {}\nlisting = true",
       "6:11: found \"listing\", which belongs to \"files\", in a route with \"respond\""},
  };
  for (const auto& [text, error] : bad)
    CAF_CHECK_EQUAL(complaint(text), prefix + error);
}

CAF_TEST(a rate is a number of requests in a time) {
  const auto with = [](const std::string& keys) {
    return only_route("respond = {}\n" + keys).rate;
  };
  CAF_CHECK(!with("").is_on());
  CAF_CHECK(!with("rate_limit = \"\"").is_on());
  const auto plain = with("rate_limit = \"100/s\"");
  CAF_CHECK_EQUAL(plain.per_second, 100);
  CAF_CHECK_EQUAL(plain.burst, 100);
  CAF_CHECK(plain.key == rate_key_kind::ip);
  CAF_CHECK(!plain.dry_run);
  CAF_CHECK_EQUAL(with("rate_limit = \"30/m\"").per_second, 0.5);
  CAF_CHECK_EQUAL(with("rate_limit = \"1/h\"").burst, 1);
  const auto full = with("rate_limit = \"5/s\"\nrate_burst = 7\nrate_key = \"header:X-Key\"\n"
                         "rate_dry_run = true");
  CAF_CHECK_EQUAL(full.burst, 7);
  CAF_CHECK(full.key == rate_key_kind::header);
  CAF_CHECK_EQUAL(full.header, "x-key");
  CAF_CHECK(full.dry_run);
  for (const auto* bad : {"0/s", "-1/s", "1/d", "1", "/s", "1 /s", "1/s ", "1000001/s", "1.5/s"})
    CAF_CHECK(read(route + "respond = {}\nrate_limit = \"" + bad + "\"")
                  .error.find("expected requests per time") != std::string::npos);
  CAF_CHECK_EQUAL(read(route + "respond = {}\nrate_key = \"route\"").error,
                  prefix + "6:12: found \"rate_key\" without \"rate_limit\"");
  CAF_CHECK_EQUAL(read(route + "respond = {}\nrate_limit = \"1/s\"\nrate_key = \"x\"").error,
                  prefix + "7:12: found the string \"x\", expected \"ip\", \"route\" or "
                           "\"header:NAME\"");
}

CAF_TEST(trusted proxies are blocks of addresses) {
  const auto good = read("[http]\ntrusted_proxies = [\"10.0.0.0/8\", \"::1\"]");
  CAF_CHECK_EQUAL(good.error, "");
  CAF_CHECK_EQUAL(good.value.trusted_proxies.size(), 2u);
  CAF_CHECK_EQUAL(read("[http]\ntrusted_proxies = [\"10.0.0.1/8\"]").error,
                  prefix +
                      "2:20: found the string \"10.0.0.1/8\", expected an address block such as "
                      "\"10.0.0.0/8\", without bits behind its length");
}

CAF_TEST(a list of addresses that is written is not empty) {
  CAF_CHECK_EQUAL(read("[http]\nlisten = []").error,
                  prefix + "2:10: found nothing, expected at least one address in \"listen\"");
}

CAF_TEST(date and server are not for routes to set) {
  for (const auto* name : {"Date", "server"})
    CAF_CHECK_EQUAL(read(route + "respond = {}\nheaders = { " + name + " = \"x\" }").error,
                    prefix + "6:13: the field \"" + name + "\" is set by the server");
}

CAF_TEST(what follows from another complaint is not said) {
  const std::string tls = "[http]\nlisten_tls = [\"127.0.0.1:0\"]\n";
  CAF_CHECK_EQUAL(read(tls + "[[http.site]]\nhost = 1\ncert = \"a\"\nkey = \"b\"").error,
                  prefix + "4:8: found the integer 1, expected a host without port such as "
                           "\"example.org\", \"*.example.org\" or \"*\"");
  CAF_CHECK_EQUAL(read(tls + "[http.tls]\ncert = 1\nkey = \"b\"").error,
                  prefix + "4:8: found the integer 1, expected a path");
  CAF_CHECK_EQUAL(read(tls).error,
                  prefix + "2:14: expected \"cert\" and \"key\" in [http.tls] or in a site beside "
                           "listen_tls");
}
