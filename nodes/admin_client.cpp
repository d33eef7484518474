#include "nodes/admin_client.hpp"

#include <cerrno>
#include <cstring>

#include <curl/curl.h>

#include "caf_app/base/error.hpp"

namespace caf_app {

namespace {

constexpr long connect_timeout_s = 5;

size_t append(char* bytes, size_t size, size_t count, void* to) {
  static_cast<std::string*>(to)->append(bytes, size * count);
  return size * count;
}

struct handle_deleter {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};

/// curl would name "localhost port 80", which nobody has asked for.
std::string why_no_socket(int error) {
  switch (error) {
    case ENOENT:
      return "no such socket: no node with this name and data_dir runs on this host; start it with "
             "caf-node or caf-ctl up";
    case ECONNREFUSED:
      return "nobody listens at this socket: the node was killed; start it with caf-node or "
             "caf-ctl "
             "up";
    case EACCES: return "Permission denied: the socket is open to the user of the node only";
    default: return std::strerror(error);
  }
}

} // namespace

admin_client admin_client::over_socket(std::string socket) {
  admin_client result;
  result.socket_ = std::move(socket);
  result.url_ = "http://localhost";
  return result;
}

admin_client admin_client::over_tcp(std::string url, std::string token) {
  admin_client result;
  while (url.ends_with('/'))
    url.pop_back();
  result.url_ = std::move(url);
  result.token_ = std::move(token);
  return result;
}

admin_client admin_client::through(std::string node) && {
  node_ = std::move(node);
  return std::move(*this);
}

admin_client admin_client::within(std::chrono::seconds time) && {
  time_max_ = time;
  return std::move(*this);
}

caf::expected<admin_answer> admin_client::get(const std::string& path) const {
  return call(path, nullptr);
}

caf::expected<admin_answer> admin_client::post(const std::string& path,
                                               const std::string& json) const {
  return call(path, &json);
}

caf::expected<admin_answer> admin_client::call(const std::string& path,
                                               const std::string* json) const {
  const std::unique_ptr<CURL, handle_deleter> curl{curl_easy_init()};
  admin_answer reply;
  char why[CURL_ERROR_SIZE] = "";
  curl_slist* fields = curl_slist_append(nullptr, "Expect:"); // no pause before a body
  if (json)
    fields = curl_slist_append(fields, "Content-Type: application/json");
  if (!token_.empty())
    fields = curl_slist_append(fields, ("Authorization: Bearer " + token_).c_str());
  const std::unique_ptr<curl_slist, handle_deleter> keep{fields};
  const auto url = url_ + path + (node_.empty() ? "" : "?node=" + node_);
  curl_easy_setopt(curl.get(), CURLOPT_URL, url.c_str());
  curl_easy_setopt(curl.get(), CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(curl.get(), CURLOPT_PROXY, "");
  curl_easy_setopt(curl.get(), CURLOPT_HTTPHEADER, fields);
  curl_easy_setopt(curl.get(), CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl.get(), CURLOPT_CONNECTTIMEOUT, connect_timeout_s);
  curl_easy_setopt(curl.get(), CURLOPT_TIMEOUT, static_cast<long>(time_max_.count()));
  curl_easy_setopt(curl.get(), CURLOPT_ERRORBUFFER, why);
  curl_easy_setopt(curl.get(), CURLOPT_WRITEFUNCTION, append);
  curl_easy_setopt(curl.get(), CURLOPT_WRITEDATA, &reply.body);
  if (!socket_.empty())
    curl_easy_setopt(curl.get(), CURLOPT_UNIX_SOCKET_PATH, socket_.c_str());
  if (json) {
    curl_easy_setopt(curl.get(), CURLOPT_POST, 1L);
    curl_easy_setopt(curl.get(), CURLOPT_POSTFIELDSIZE_LARGE,
                     static_cast<curl_off_t>(json->size()));
    curl_easy_setopt(curl.get(), CURLOPT_POSTFIELDS, json->c_str());
  }
  const auto result = curl_easy_perform(curl.get());
  long error = 0; // of the system
  if (result == CURLE_COULDNT_CONNECT && !socket_.empty())
    curl_easy_getinfo(curl.get(), CURLINFO_OS_ERRNO, &error);
  if (error != 0)
    return caf::make_error(errc::io_failed,
                           target() + ": " + why_no_socket(static_cast<int>(error)));
  if (result != CURLE_OK)
    return caf::make_error(errc::io_failed,
                           target() + ": " + (*why ? why : curl_easy_strerror(result)));
  curl_easy_getinfo(curl.get(), CURLINFO_RESPONSE_CODE, &reply.status);
  return reply;
}

} // namespace caf_app
