#define CAF_SUITE upgrade
#include "actors/http/upgrade.hpp"

#include <caf/test/unit_test.hpp>

using namespace caf_app::http;

namespace {

using lines = std::vector<std::pair<std::string, std::string>>;

const std::string key = "dGhlIHNhbXBsZSBub25jZQ=="; // RFC 6455 §1.3

upgrade_wish wish_of(
    const lines& given, void (*change)(request_view&) = [](request_view&) {}) {
  field_list fields;
  for (const auto& [name, value] : given)
    fields.push_back({name, value, find_known_field(name)});
  request_view view;
  view.fields = &fields;
  change(view);
  return find_upgrade(view);
}

lines websocket(const std::string& connection = "Upgrade",
                const std::string& protocol = "websocket", const std::string& sent_key = key) {
  return {{"Connection", connection}, {"Upgrade", protocol}, {"Sec-WebSocket-Key", sent_key}};
}

bool granted(const std::string& head, const upgrade_wish& wish,
             const std::string& version = "HTTP/1.1") {
  h1_response_parser parser;
  parser.reset(method::get);
  const auto text = version + " " + head + "\r\n\r\n";
  CAF_REQUIRE(parser.feed(text).event == response_event::head);
  return grants(parser.response(), wish);
}

} // namespace

CAF_TEST(the example of the norm) {
  CAF_CHECK_EQUAL(websocket_accept(key), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
  // Lengths around the padding of SHA-1, from Python's hashlib.
  CAF_CHECK_EQUAL(websocket_accept(""), "Kfh9QIsMVZcl6xEPYxPHzW8SZ8w=");
  CAF_CHECK_EQUAL(websocket_accept(std::string(19, 'a')), "yzaGyu0mcUukN7CdsSwa30tnCpc=");
  CAF_CHECK_EQUAL(websocket_accept(std::string(20, 'a')), "dUYRM7bOMwDmbriNIPr11x+r3E0=");
  CAF_CHECK_EQUAL(websocket_accept(std::string(27, 'a')), "NCEiOv6lMC9mC8oEZnneqRdJ4DU=");
  CAF_CHECK_EQUAL(websocket_accept(std::string(28, 'a')), "xMWmCBqYJY4uXzUs8PNU1t+Pzro=");
}

CAF_TEST(a websocket asks with both fields and a key) {
  const auto wish = wish_of(websocket("keep-alive, UPGRADE", "WebSocket"));
  CAF_CHECK_EQUAL(wish.protocol, "WebSocket");
  CAF_CHECK_EQUAL(wish.key, key);
  CAF_CHECK(!wish_of({}));
  CAF_CHECK(!wish_of(websocket("close")));
  CAF_CHECK(!wish_of({{"Connection", "Upgrade"}, {"Upgrade", "websocket"}}));
  for (const auto* bad : {"", "short==", "dGhlIHNhbXBsZSBub25jZQ=a", "dGhlIHNhbXBsZSBub25jZ!=="})
    CAF_CHECK(!wish_of(websocket("Upgrade", "websocket", bad)));
}

CAF_TEST(only a GET of HTTP 1 point 1 without content can become a tunnel) {
  CAF_CHECK(!wish_of(websocket(), [](request_view& view) { view.method = method::post; }));
  CAF_CHECK(!wish_of(websocket(), [](request_view& view) { view.version = "1.0"; }));
  CAF_CHECK(!wish_of(websocket(), [](request_view& view) { view.version = "2"; }));
  CAF_CHECK(!wish_of(websocket(), [](request_view& view) { view.has_body = true; }));
}

CAF_TEST(other protocols pass but none that is HTTP again) {
  CAF_CHECK_EQUAL(wish_of({{"Connection", "upgrade"}, {"Upgrade", "irc/6.9"}}).protocol, "irc/6.9");
  for (const auto* bad :
       {"h2c", "H2C", "HTTP/2.0", "TLS/1.0", "websocket, irc", "a/b/c", "a b", ""})
    CAF_CHECK(!wish_of(websocket("Upgrade", bad)));
  auto twice = websocket();
  twice.emplace_back("Upgrade", "irc");
  CAF_CHECK(!wish_of(twice));
}

CAF_TEST(a 101 has to be the answer to the wish) {
  const auto wish = wish_of(websocket());
  const std::string good =
      "101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n";
  const std::string accept = "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=";
  CAF_CHECK(granted(good + accept, wish));
  CAF_CHECK(!granted(good + accept + "x", wish));
  CAF_CHECK(!granted(good + "X: y", wish));
  CAF_CHECK(!granted("101 S\r\nConnection: Upgrade\r\nUpgrade: irc\r\n" + accept, wish));
  CAF_CHECK(!granted("101 S\r\nUpgrade: websocket\r\n" + accept, wish));
  CAF_CHECK(!granted("200 OK\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" + accept, wish));
  CAF_CHECK(!granted(good + accept, {}));
  CAF_CHECK(!granted(good + accept, wish, "HTTP/1.0"));
  CAF_CHECK(!granted(good + accept + "\r\n" + accept, wish));
  CAF_CHECK(!granted(good + accept + "\r\n" + accept + "x", wish));
  CAF_CHECK(!granted(good + accept + "\r\nContent-Length: 0", wish));
  CAF_CHECK(!granted(good + accept + "\r\nTransfer-Encoding: chunked", wish));
  CAF_CHECK(granted("101 S\r\nConnection: upgrade\r\nUpgrade: IRC", {"irc", {}}));
}
