#include "actors/eval/process/effect_request.hpp"

#include <algorithm>
#include <memory>

#include <curl/curl.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "actors/eval/eval_config.hpp"
#include "actors/eval/json_member.hpp"
#include "actors/eval/public_address.hpp"
#include "caf_app/eval/json_text.hpp"

namespace caf_app::eval {

namespace {

using curl_ptr = std::unique_ptr<CURL, decltype(&curl_easy_cleanup)>;
using url_ptr = std::unique_ptr<CURLU, decltype(&curl_url_cleanup)>;
using list_ptr = std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)>;

constexpr long port_http = 80;
constexpr long port_https = 443;

struct exchange_state {
  json fields{json::object{}};
  std::string content;
  bool too_large = false;
  bool not_public = false;
};

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return text;
}

/// A part of a URL, empty if it has none.
std::string part_of(const url_ptr& url, CURLUPart what, unsigned flags = 0) {
  char* text = nullptr;
  if (curl_url_get(url.get(), what, &text, flags) != CURLUE_OK)
    return {};
  std::string result{text};
  curl_free(text);
  return result;
}

/// @returns why the URL may not be asked, empty if it may
std::string check_url(const std::string& text, const effect_scope& scope) {
  const url_ptr url{curl_url(), &curl_url_cleanup};
  if (curl_url_set(url.get(), CURLUPART_URL, text.c_str(), 0) != CURLUE_OK)
    return "'" + text + "' is no URL";
  const auto scheme = part_of(url, CURLUPART_SCHEME);
  if (scheme != "http" && scheme != "https")
    return "the scheme '" + scheme + "' is not allowed: http and https are";
  if (!part_of(url, CURLUPART_USER).empty() || !part_of(url, CURLUPART_PASSWORD).empty())
    return "credentials in a URL are not allowed";
  const auto port = part_of(url, CURLUPART_PORT, CURLU_DEFAULT_PORT);
  if (port != std::to_string(port_http) && port != std::to_string(port_https))
    return "port " + port + " is not allowed: 80 and 443 are";
  const auto host = lower(part_of(url, CURLUPART_HOST));
  if (std::find(scope.domains.begin(), scope.domains.end(), host) == scope.domains.end())
    return "the policy does not name the host '" + host + "'";
  return {};
}

/// Called with the address that a name came to, right before it is used: what a resolver says
/// between a check and a connection makes no difference.
curl_socket_t open_socket(void* state, curlsocktype, curl_sockaddr* address) {
  const uint8_t* bytes = nullptr;
  size_t size = 0;
  if (address->family == AF_INET) {
    bytes = reinterpret_cast<const uint8_t*>(
        &reinterpret_cast<const sockaddr_in*>(&address->addr)->sin_addr);
    size = sizeof(in_addr);
  } else if (address->family == AF_INET6) {
    bytes = reinterpret_cast<const uint8_t*>(
        &reinterpret_cast<const sockaddr_in6*>(&address->addr)->sin6_addr);
    size = sizeof(in6_addr);
  }
  if (!is_public_address({bytes, size})) {
    static_cast<exchange_state*>(state)->not_public = true;
    return CURL_SOCKET_BAD;
  }
  return ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

size_t take_content(char* bytes, size_t, size_t count, void* state) {
  auto& to = *static_cast<exchange_state*>(state);
  if (to.content.size() + count > limit::file_effect_bytes_max) {
    to.too_large = true;
    return 0;
  }
  to.content.append(bytes, count);
  return count;
}

size_t take_field(char* bytes, size_t, size_t count, void* state) {
  const std::string_view line{bytes, count};
  const auto colon = line.find(':');
  if (colon == std::string_view::npos)
    return count;
  auto name = lower(std::string{line.substr(0, colon)});
  auto value = line.substr(colon + 1);
  value.remove_prefix(std::min(value.find_first_not_of(" \t"), value.size()));
  value = value.substr(0, value.find_last_not_of(" \t\r\n") + 1);
  auto& fields = static_cast<exchange_state*>(state)->fields;
  if (is_utf8(name) && is_utf8(value) && !fields.find(name))
    fields.add(std::move(name), value);
  return count;
}

void configure(const curl_ptr& curl, const std::string& url, exchange_state& state) {
  const auto set = [&](CURLoption what, auto value) { curl_easy_setopt(curl.get(), what, value); };
  set(CURLOPT_URL, url.c_str());
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_PROXY, ""); // whatever the environment says
  set(CURLOPT_FOLLOWLOCATION, 0L);
  set(CURLOPT_TIMEOUT_MS, static_cast<long>(limit::http_effect_timeout.count()));
  set(CURLOPT_OPENSOCKETFUNCTION, &open_socket);
  set(CURLOPT_OPENSOCKETDATA, static_cast<void*>(&state));
  set(CURLOPT_WRITEFUNCTION, &take_content);
  set(CURLOPT_WRITEDATA, static_cast<void*>(&state));
  set(CURLOPT_HEADERFUNCTION, &take_field);
  set(CURLOPT_HEADERDATA, static_cast<void*>(&state));
}

} // namespace

effect_result perform_http(const json& request, const effect_scope& scope) {
  const auto method = text_of(request, "method");
  const auto url = text_of(request, "url");
  if (method != "GET" && method != "POST")
    return "the method " + method + " is not allowed";
  if (auto why = check_url(url, scope); !why.empty())
    return why;
  const curl_ptr curl{curl_easy_init(), &curl_easy_cleanup};
  exchange_state state;
  configure(curl, url, state);
  const auto content = text_of(request, "content");
  list_ptr fields{nullptr, &curl_slist_free_all};
  if (method == "POST") {
    const auto type = "Content-Type: " + text_of(request, "type");
    if (type.find_first_of("\r\n") != std::string::npos)
      return std::string{"a line break in the content type"};
    fields.reset(curl_slist_append(nullptr, type.c_str()));
    curl_easy_setopt(curl.get(), CURLOPT_HTTPHEADER, fields.get());
    curl_easy_setopt(curl.get(), CURLOPT_POSTFIELDSIZE_LARGE,
                     static_cast<curl_off_t>(content.size()));
    curl_easy_setopt(curl.get(), CURLOPT_POSTFIELDS, content.c_str());
  }
  const auto done = curl_easy_perform(curl.get());
  if (state.not_public)
    return url + ": not a public address";
  if (state.too_large)
    return url + ": the reply is larger than " + std::to_string(limit::file_effect_bytes_max) +
           " bytes";
  if (done != CURLE_OK)
    return url + ": " + curl_easy_strerror(done);
  if (!is_utf8(state.content))
    return url + ": the reply is not UTF-8";
  long status = 0;
  curl_easy_getinfo(curl.get(), CURLINFO_RESPONSE_CODE, &status);
  json result;
  result.add("status", status);
  result.add("fields", std::move(state.fields));
  result.add("content", std::move(state.content));
  return result;
}

} // namespace caf_app::eval
