#define CAF_SUITE http_config_fastcgi
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

const std::string php = "[[http.upstream]]\nname = \"php\"\nservers = [\"unix:/run/php.sock\"]\n";

std::string with_route(const std::string& keys) {
  return php + "[[http.site]]\nhost = \"*\"\n[[http.site.route]]\npath = \"/a\"\n" + keys;
}

http_route route(const std::string& keys) {
  auto [value, error] = read(with_route(keys));
  CAF_CHECK_EQUAL(error, "");
  CAF_REQUIRE(value.site.size() == 1 && value.site[0].route.size() == 1);
  return value.site[0].route[0];
}

bool complains(const std::string& keys, const std::string& about) {
  const auto error = read(with_route(keys)).error;
  CAF_MESSAGE(error);
  return error.find(about) != std::string::npos;
}

bool cache_complains(const std::string& keys, const std::string& about) {
  const auto error = read("[http.cache]\n" + keys).error;
  CAF_MESSAGE(error);
  return error.find(about) != std::string::npos;
}

const std::string fastcgi = "fastcgi = \"php\"\nroot = \"/srv\"\n";

} // namespace

CAF_TEST(scripts are run as the keys beside them say) {
  const auto plain = route(fastcgi);
  CAF_CHECK(plain.kind == route_kind::fastcgi);
  CAF_CHECK_EQUAL(plain.fastcgi.upstream, "php");
  CAF_CHECK_EQUAL(plain.fastcgi.root, "/srv");
  CAF_CHECK_EQUAL(plain.fastcgi.index, "index.php");
  CAF_CHECK_EQUAL(plain.fastcgi.extensions, std::vector<std::string>{".php"});
  CAF_CHECK(plain.fastcgi.front.empty() && plain.fastcgi.params.empty() && !plain.cache);
  CAF_CHECK_EQUAL(plain.methods.size(), 7u);
  CAF_CHECK(plain.paths.slashes == slashes::keep);
  const auto full = route("fastcgi = \"php\"\nroot = \"www\"\nindex = \"main.php\"\n"
                          "extensions = [\".php\", \".phtml\"]\nfront = \"app/front.php\"\n"
                          "params = { APP_ENV = \"test\", X_1 = \"\" }\ncache = true\n");
  CAF_CHECK_EQUAL(full.fastcgi.root, "/etc/app/www");
  CAF_CHECK_EQUAL(full.fastcgi.index, "main.php");
  CAF_CHECK_EQUAL(full.fastcgi.extensions.size(), 2u);
  CAF_CHECK_EQUAL(full.fastcgi.front, "app/front.php");
  CAF_CHECK_EQUAL(full.fastcgi.params.size(), 2u);
  CAF_CHECK(full.cache);
  CAF_CHECK_EQUAL(route(fastcgi + "index = \"\"\n").fastcgi.index, "");
}

CAF_TEST(what is wrong with scripts is said) {
  CAF_CHECK(complains("fastcgi = \"php\"\n", "key \"root\" is missing"));
  CAF_CHECK(complains("fastcgi = \"phq\"\nroot = \"/srv\"\n", "no [[http.upstream]] \"phq\""));
  CAF_CHECK(complains(fastcgi + "index = [\"a.php\"]\n", "expected one name"));
  CAF_CHECK(complains(fastcgi + "index = \"a/b.php\"\n", "expected the name of a file"));
  CAF_CHECK(complains(fastcgi + "extensions = []\n", "expected at least one extension"));
  CAF_CHECK(complains(fastcgi + "extensions = [\"php\"]\n", "\".php\""));
  CAF_CHECK(complains(fastcgi + "front = \"/x.php\"\n", "expected a name below the root"));
  CAF_CHECK(complains(fastcgi + "front = \"../x.php\"\n", "expected a name below the root"));
  CAF_CHECK(complains(fastcgi + "params = { \"A-B\" = \"1\" }\n", "expected letters, digits"));
  CAF_CHECK(complains(fastcgi + "params = { CONTENT_LENGTH = \"1\" }\n", "set by the server"));
  CAF_CHECK(complains(fastcgi + "params = { SCRIPT_FILENAME = \"/x\" }\n", "set by the server"));
  CAF_CHECK(complains(fastcgi + "match = \"exact\"\n", "expected \"prefix\""));
  CAF_CHECK(complains(fastcgi + "listing = true\n", "belongs to \"files\""));
  CAF_CHECK(complains("files = \"/srv\"\nindex = \"a.html\"\n", "expected a list of names"));
  CAF_CHECK(complains("files = \"/srv\"\nroot = \"/srv\"\n", "belongs to \"fastcgi\""));
  CAF_CHECK(complains("files = \"/srv\"\ncache = true\n", "\"cache\""));
  CAF_CHECK(complains("respond = {}\nindex = [\"a\"]\n", "belongs to \"files\""));
}

CAF_TEST(servers of scripts speak FastCGI) {
  const auto with_server = [](const std::string& server, const std::string& kind) {
    return read("[[http.upstream]]\nname = \"u\"\nservers = [\"" + server +
                "\"]\n[[http.site]]\nhost = \"*\"\n[[http.site.route]]\npath = \"/\"\n" + kind)
        .error;
  };
  const std::string scripts = "fastcgi = \"u\"\nroot = \"/srv\"\n";
  CAF_CHECK_EQUAL(with_server("fcgi://127.0.0.1:9000", scripts), "");
  CAF_CHECK(with_server("http://127.0.0.1:9000", scripts).find("fcgi://") != std::string::npos);
  CAF_CHECK(with_server("fcgi://127.0.0.1:9000", "proxy = \"u\"\n").find("http://") !=
            std::string::npos);
}

CAF_TEST(a status page is that of FastCGI servers) {
  const auto with = [](const std::string& server, const std::string& path) {
    return read("[[http.upstream]]\nname = \"u\"\nservers = [\"" + server +
                "\"]\nstatus_path = \"" + path + "\"\n")
        .error;
  };
  CAF_CHECK_EQUAL(with("unix:/run/php.sock", "/status"), "");
  CAF_CHECK_EQUAL(with("fcgi://127.0.0.1:9000", ""), "");
  CAF_CHECK(with("http://127.0.0.1:80", "/status").find("fcgi://") != std::string::npos);
  CAF_CHECK(with("unix:/run/php.sock", "status").find("starts with \"/\"") != std::string::npos);
}

CAF_TEST(the cache is off unless it has a size) {
  const auto none = read("").value.cache;
  CAF_CHECK_EQUAL(none.size, 0u);
  CAF_CHECK_EQUAL(none.max_object, 1024u * 1024u);
  CAF_CHECK_EQUAL(none.max_variants, 16u);
  CAF_CHECK(none.lock_timeout == 5s && none.heuristic_max == 24h);
  CAF_CHECK_EQUAL(none.heuristic, 0.1);
  CAF_CHECK(none.stale_while_revalidate == 0s && none.stale_if_error == 0s);
  const auto [value, error] =
      read("[http.cache]\nsize = \"1GiB\"\nmax_object = \"4MiB\"\nmax_variants = 2\n"
           "lock_timeout = \"1s\"\nheuristic = 0\nheuristic_max = \"1h\"\n"
           "stale_while_revalidate = \"30s\"\nstale_if_error = \"1h\"\n");
  CAF_CHECK_EQUAL(error, "");
  CAF_CHECK_EQUAL(value.cache.size, uint64_t{1} << 30);
  CAF_CHECK_EQUAL(value.cache.heuristic, 0.0);
  CAF_CHECK(value.cache.stale_if_error == 1h);
}

CAF_TEST(what is wrong with the cache is said) {
  CAF_CHECK(cache_complains("size = \"1MiB\"\nmax_object = \"2MiB\"\n", "max_object"));
  CAF_CHECK(cache_complains("heuristic = 1.5\n", "expected a number of 0 to 1"));
  CAF_CHECK(cache_complains("heuristic = \"x\"\n", "expected a number of 0 to 1"));
  CAF_CHECK(cache_complains("max_variants = 0\n", "max_variants") ||
            cache_complains("max_variants = 0\n", "expected"));
  CAF_CHECK(cache_complains("lock_timeout = \"1ms\"\n", "expected"));
  CAF_CHECK(cache_complains("max_size = 1\n", "max_size"));
}
