#define CAF_SUITE fastcgi_params
#include "actors/http/fastcgi_params.hpp"

#include <map>

#include <caf/test/unit_test.hpp>

using namespace caf_app::http;

namespace {

/// Reads pairs as a server would; a repeated name is an error.
std::map<std::string, std::string> read(std::string_view pairs) {
  std::map<std::string, std::string> result;
  size_t at = 0;
  const auto length = [&] {
    const auto first = static_cast<unsigned char>(pairs[at++]);
    if (first < 128)
      return size_t{first};
    size_t value = first & 127u;
    for (int i = 0; i < 3; ++i)
      value = value << 8 | static_cast<unsigned char>(pairs[at++]);
    return value;
  };
  while (at < pairs.size()) {
    const auto name = length();
    const auto value = length();
    const std::string key{pairs.substr(at, name)};
    CAF_CHECK_EQUAL(result.count(key), 0u);
    result[key] = pairs.substr(at + name, value);
    at += name + value;
  }
  return result;
}

struct fixture {
  fixture() {
    view.method_text = "POST";
    view.target = "/app/a.php/x?q=1";
    view.path = "/app/a.php/x";
    view.query = "q=1";
    view.host = "example.org";
    view.fields = &fields;
  }
  void add(const char* name, const char* value) {
    fields.push_back({name, value, find_known_field(name)});
  }
  std::map<std::string, std::string> params() const {
    return read(fastcgi_request_params(view, client, extras));
  }
  request_view view;
  field_list fields;
  fastcgi_client client{"192.0.2.1", "4711", "http", "HTTP/1.1", "id"};
  fastcgi_extras extras;
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(fastcgi_params_tests, fixture)

  CAF_TEST(the variables of a request) {
    add("Content-Type", "text/plain");
    const auto seen = params();
    for (const auto& [name, value] :
         std::map<std::string, std::string>{{"REQUEST_METHOD", "POST"},
                                            {"REQUEST_URI", "/app/a.php/x?q=1"},
                                            {"QUERY_STRING", "q=1"},
                                            {"CONTENT_TYPE", "text/plain"},
                                            {"REMOTE_ADDR", "192.0.2.1"},
                                            {"REMOTE_PORT", "4711"},
                                            {"SERVER_NAME", "example.org"},
                                            {"SERVER_PROTOCOL", "HTTP/1.1"},
                                            {"SERVER_PORT", "80"},
                                            {"REQUEST_SCHEME", "http"},
                                            {"HTTP_X_REQUEST_ID", "id"},
                                            {"GATEWAY_INTERFACE", "CGI/1.1"}})
      CAF_CHECK_EQUAL(seen.at(name), value);
    CAF_CHECK_EQUAL(seen.count("HTTPS"), 0u);
  }

  CAF_TEST(an encrypted request says so) {
    client.scheme = "https";
    client.protocol = "HTTP/2.0";
    client.port = {};
    add("Host", "example.org");
    const auto seen = params();
    CAF_CHECK_EQUAL(seen.at("HTTPS"), "on");
    CAF_CHECK_EQUAL(seen.at("SERVER_PORT"), "443");
    CAF_CHECK_EQUAL(seen.at("SERVER_PROTOCOL"), "HTTP/2.0");
    CAF_CHECK_EQUAL(seen.count("REMOTE_PORT"), 0u);
  }

  CAF_TEST(a port is that of Host) {
    add("Host", "[::1]:8443");
    CAF_CHECK_EQUAL(params().at("SERVER_PORT"), "8443");
  }

  CAF_TEST(a host without port has the usual one) {
    add("Host", "[::1]");
    CAF_CHECK_EQUAL(params().at("SERVER_PORT"), "80");
  }

  CAF_TEST(scripts see the normal form of a path) {
    view.target = "http://example.org/app/../app/a.php?";
    view.path = "/app/a.php";
    view.query = "";
    CAF_CHECK_EQUAL(params().at("REQUEST_URI"), "/app/a.php?");
  }

  CAF_TEST(an operator has the last word but for what is not theirs) {
    add("X-A", "client");
    extras = {{"HTTP_X_A", "mine"}, {"SERVER_NAME", "other"}};
    auto all = fastcgi_request_params(view, client, extras);
    all += fastcgi_script_params({"/srv", "/", "a.php", "", {}}, extras);
    const auto seen = read(all); // no name twice
    CAF_CHECK_EQUAL(seen.at("HTTP_X_A"), "mine");
    CAF_CHECK_EQUAL(seen.at("SERVER_NAME"), "other");
    CAF_CHECK(is_free_param("APP_ENV"));
    for (const auto* name : {"CONTENT_LENGTH", "HTTP_PROXY", "SCRIPT_FILENAME", "REQUEST_METHOD"})
      CAF_CHECK(!is_free_param(name));
  }

  CAF_TEST(fields become variables that cannot pose as others) {
    add("X-Some-Field", "1");
    add("x-some-field", "2");
    add("X_Some_Field", "evil");
    add("Proxy", "evil");
    add("Content-Length", "99");
    add("Cookie", "a=1");
    add("Cookie", "b=2");
    add("Authorization", "Basic x");
    const auto seen = params();
    CAF_CHECK_EQUAL(seen.at("HTTP_X_SOME_FIELD"), "1, 2");
    CAF_CHECK_EQUAL(seen.at("HTTP_COOKIE"), "a=1; b=2");
    CAF_CHECK_EQUAL(seen.at("HTTP_AUTHORIZATION"), "Basic x");
    CAF_CHECK_EQUAL(seen.count("HTTP_PROXY"), 0u);
    CAF_CHECK_EQUAL(seen.count("HTTP_CONTENT_LENGTH"), 0u);
  }

  CAF_TEST(the script and its place) {
    fastcgi_target target;
    target.root = "/srv/app/";
    target.prefix = "/app";
    target.script = "dir/a.php";
    target.path_info = "/x";
    target.content_length = 7;
    const auto seen = read(fastcgi_script_params(target, {{"APP_ENV", "test"}}));
    for (const auto& [name, value] :
         std::map<std::string, std::string>{{"DOCUMENT_ROOT", "/srv/app"},
                                            {"SCRIPT_NAME", "/app/dir/a.php"},
                                            {"SCRIPT_FILENAME", "/srv/app/dir/a.php"},
                                            {"PATH_INFO", "/x"},
                                            {"CONTENT_LENGTH", "7"},
                                            {"APP_ENV", "test"}})
      CAF_CHECK_EQUAL(seen.at(name), value);
    target.prefix = "/";
    target.content_length.reset();
    const auto other = read(fastcgi_script_params(target, {}));
    CAF_CHECK_EQUAL(other.at("SCRIPT_NAME"), "/dir/a.php");
    CAF_CHECK_EQUAL(other.at("CONTENT_LENGTH"), "");
  }

  CAF_TEST_FIXTURE_SCOPE_END()
