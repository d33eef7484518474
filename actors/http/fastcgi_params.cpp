#include "actors/http/fastcgi_params.hpp"

#include <algorithm>
#include <array>

#include "actors/http/fcgi_codec.hpp"

namespace caf_app::http {

namespace {

// HTTP_ACCEPT_ENCODING for accept-encoding.
std::string variable(std::string_view field) {
  std::string result = "HTTP_";
  for (const auto c : field)
    result += c == '-' ? '_' : c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return result;
}

bool is_passed(const field& line) {
  switch (line.id) {
    case known_field::connection:
    case known_field::content_length:
    case known_field::content_type:
    case known_field::expect:
    case known_field::keep_alive:
    case known_field::proxy_connection:
    case known_field::te:
    case known_field::transfer_encoding:
    case known_field::upgrade:
    case known_field::x_request_id: return false;
    default:
      return line.name.find('_') == std::string_view::npos &&
             !equals_ignoring_case(line.name, "proxy");
  }
}

class param_writer {
public:
  explicit param_writer(const fastcgi_extras& extras) : extras_(extras) {}

  void add(std::string_view name, std::string_view value) {
    const auto stands_in = std::any_of(extras_.begin(), extras_.end(),
                                       [&](const auto& extra) { return extra.first == name; });
    if (!stands_in)
      append_fcgi_pair(out, name, value);
  }

  // Lines of one name are one variable.
  void add(const field_list& fields) {
    const auto lines = fields.lines();
    for (size_t i = 0; i < lines.size(); ++i) {
      if (!is_passed(lines[i]) || is_seen(lines.first(i), lines[i].name))
        continue;
      std::string value{lines[i].value};
      for (const auto& other : lines.subspan(i + 1))
        if (equals_ignoring_case(other.name, lines[i].name))
          value.append(lines[i].id == known_field::cookie ? "; " : ", ").append(other.value);
      add(variable(lines[i].name), value);
    }
  }

  std::string out;

private:
  static bool is_seen(std::span<const field> before, std::string_view name) {
    return std::any_of(before.begin(), before.end(),
                       [&](const field& line) { return equals_ignoring_case(line.name, name); });
  }

  const fastcgi_extras& extras_;
};

std::string_view server_port(const request_view& request, std::string_view scheme) {
  const auto host = request.fields->first(known_field::host);
  const auto colon = host.rfind(':');
  if (colon != std::string_view::npos && host.find(']', colon) == std::string_view::npos &&
      colon + 1 < host.size())
    return host.substr(colon + 1);
  return scheme == "https" ? "443" : "80";
}

std::string_view without_slashes(std::string_view path, size_t at_least) {
  while (path.size() > at_least && path.ends_with('/'))
    path.remove_suffix(1);
  return path;
}

} // namespace

std::string fastcgi_request_params(const request_view& request, const fastcgi_client& client,
                                   const fastcgi_extras& extras) {
  param_writer params{extras};
  params.add(*request.fields);
  params.add("GATEWAY_INTERFACE", "CGI/1.1");
  params.add("SERVER_PROTOCOL", client.protocol);
  params.add("SERVER_SOFTWARE", "caf_app");
  params.add("REQUEST_METHOD", request.method_text);
  // As router and script see it, whatever detours the client has written.
  params.add("REQUEST_URI",
             std::string{request.path} + (request.target.find('?') == std::string_view::npos
                                              ? std::string{}
                                              : "?" + std::string{request.query}));
  params.add("REQUEST_SCHEME", client.scheme);
  if (client.scheme == "https")
    params.add("HTTPS", "on");
  params.add("QUERY_STRING", request.query);
  params.add("CONTENT_TYPE", request.fields->first(known_field::content_type));
  params.add("REMOTE_ADDR", client.address);
  if (!client.port.empty())
    params.add("REMOTE_PORT", client.port);
  params.add("SERVER_NAME", request.host);
  params.add("SERVER_PORT", server_port(request, client.scheme));
  params.add("REDIRECT_STATUS", "200"); // php-cgi wants to know that it is no direct call
  params.add("HTTP_X_REQUEST_ID", client.request_id);
  return std::move(params.out);
}

std::string fastcgi_script_params(const fastcgi_target& target, const fastcgi_extras& extras) {
  param_writer params{extras};
  const std::string root{without_slashes(target.root, 1)};
  const std::string prefix{without_slashes(target.prefix, 0)};
  const std::string name{target.script};
  params.add("DOCUMENT_ROOT", root);
  params.add("SCRIPT_NAME", prefix + "/" + name);
  params.add("SCRIPT_FILENAME", (root == "/" ? "" : root) + "/" + name);
  params.add("PATH_INFO", target.path_info);
  params.add("CONTENT_LENGTH", target.content_length ? std::to_string(*target.content_length) : "");
  for (const auto& [key, value] : extras)
    append_fcgi_pair(params.out, key, value);
  return std::move(params.out);
}

bool is_free_param(std::string_view name) {
  constexpr std::array taken{"CONTENT_LENGTH", "HTTP_PROXY", "REQUEST_METHOD", "SCRIPT_FILENAME",
                             "HTTP_CONTENT_LENGTH"};
  return std::none_of(taken.begin(), taken.end(), [&](const char* x) { return name == x; });
}

} // namespace caf_app::http
