#include "actors/http/proxy_head.hpp"

namespace caf_app::http {

namespace {

constexpr std::string_view our_name = "caf_app";

bool is_hop_by_hop(known_field id) {
  switch (id) {
    case known_field::connection:
    case known_field::keep_alive:
    case known_field::proxy_connection:
    case known_field::te:
    case known_field::transfer_encoding:
    case known_field::upgrade: return true;
    default: return false;
  }
}

// Does Connection name it? RFC 9110 §7.6.1
bool is_named(const field_list& fields, std::string_view name) {
  return fields.has(known_field::connection) &&
         fields.has_token(known_field::connection, to_lower(name));
}

// Those that are written anew.
bool is_ours(known_field id) {
  switch (id) {
    case known_field::host:
    case known_field::content_length:
    case known_field::expect:
    case known_field::via:
    case known_field::forwarded:
    case known_field::x_forwarded_for:
    case known_field::x_forwarded_host:
    case known_field::x_forwarded_proto:
    case known_field::x_request_id: return true;
    default: return false;
  }
}

void add(std::string& out, std::string_view name, std::string_view value) {
  out.append(name).append(": ").append(value).append("\r\n");
}

enum class earlier : uint8_t { keep, drop };

// All lines of a field in one, oldest first, with our part behind.
void add_appended(std::string& out, std::string_view name, const field_list& fields, known_field id,
                  earlier what, std::string_view ours) {
  out.append(name).append(": ");
  if (what == earlier::keep && fields.has(id))
    for (const auto& line : fields)
      if (line.id == id && !line.value.empty())
        out.append(line.value).append(", ");
  out.append(ours).append("\r\n");
}

// An address as RFC 7239 §6 wants it.
void add_node(std::string& out, std::string_view address) {
  if (address.find(':') == std::string_view::npos)
    out.append(address);
  else
    out.append("\"[").append(address).append("]\"");
}

std::string authority_of(const request_view& request) {
  std::string result{request.host};
  if (request.port)
    result.append(":").append(std::to_string(*request.port));
  return result;
}

// RFC 9110 §7.6.2; the handler has answered what stands at 0.
std::string one_less(std::string_view value) {
  const auto hops = parse_length(value);
  return hops && *hops > 0 ? std::to_string(*hops - 1) : std::string{value};
}

void add_target(std::string& out, const request_view& request, const proxy_options& options) {
  const auto path = options.strip_prefix ? request.below : request.path;
  if (!path.starts_with('/'))
    out += '/';
  out.append(path);
  if (request.target.find('?') != std::string_view::npos)
    out.append("?").append(request.query);
}

void add_forwarding(std::string& out, const request_view& request, const proxy_facts& facts) {
  const auto& fields = *request.fields;
  const auto kept = facts.trusted ? earlier::keep : earlier::drop;
  const auto authority = authority_of(request);
  add_appended(out, "X-Forwarded-For", fields, known_field::x_forwarded_for, kept, facts.peer);
  const auto add_given = [&](std::string_view name, known_field id, std::string_view otherwise) {
    const auto value = facts.trusted && fields.has(id) ? fields.first(id) : otherwise;
    if (!value.empty())
      add(out, name, value);
  };
  add_given("X-Forwarded-Proto", known_field::x_forwarded_proto, request.scheme);
  add_given("X-Forwarded-Host", known_field::x_forwarded_host, authority);
  std::string ours = "for=";
  add_node(ours, facts.peer);
  if (is_token(authority))
    ours.append(";host=").append(authority);
  else if (!authority.empty()) // hosts hold neither quotes nor backslashes
    ours.append(";host=\"").append(authority).append("\"");
  ours.append(";proto=").append(request.scheme);
  add_appended(out, "Forwarded", fields, known_field::forwarded, kept, ours);
  add(out, "X-Request-Id", facts.request_id);
  add_appended(out, "Via", fields, known_field::via, earlier::keep,
               std::string{request.version}.append(" ").append(our_name));
}

void add_framing(std::string& out, const request_view& request, const proxy_facts& facts) {
  if (!facts.upgrade.empty())
    out.append("Connection: Upgrade\r\nUpgrade: ").append(facts.upgrade).append("\r\n");
  if (request.fields->has_token(known_field::te, "trailers"))
    out.append("TE: trailers\r\n");
  if (request.content_length)
    add(out, "Content-Length", std::to_string(*request.content_length));
  else if (request.has_body)
    add(out, "Transfer-Encoding", "chunked");
  if (request.awaits_invitation)
    add(out, "Expect", "100-continue");
}

} // namespace

bool has_forbidden_connection(const field_list& fields) {
  if (!fields.has(known_field::connection))
    return false;
  for (const auto& line : fields) {
    if (line.id != known_field::connection)
      continue;
    auto rest = line.value;
    while (const auto element = next_list_element(rest)) {
      const auto name = to_lower(*element);
      if (name == "host" || name == "authorization" || name == "forwarded" ||
          name.starts_with("content-") || name.starts_with("x-forwarded-"))
        return true;
    }
  }
  return false;
}

proxy_request_head::proxy_request_head(const request_view& request, const proxy_options& options,
                                       const proxy_facts& facts) {
  const auto& fields = *request.fields;
  line_.append(request.method_text).append(" ");
  add_target(line_, request, options);
  line_.append(" HTTP/1.1\r\n");
  if (options.preserve_host)
    host_ = authority_of(request);
  constexpr size_t usual_bytes = 1024;
  fields_.reserve(usual_bytes);
  for (const auto& line : fields) {
    const auto odd = !options.underscores && line.name.find('_') != std::string_view::npos;
    if (is_hop_by_hop(line.id) || is_ours(line.id) || odd || is_named(fields, line.name))
      continue;
    if (line.id == known_field::max_forwards && request.method == method::options)
      add(fields_, line.name, one_less(line.value));
    else
      add(fields_, line.name, line.value);
  }
  add_framing(fields_, request, facts);
  add_forwarding(fields_, request, facts);
  fields_ += "\r\n";
}

std::string proxy_request_head::text(std::string_view host) const {
  const auto name = host_.empty() ? host : std::string_view{host_};
  std::string result;
  result.reserve(line_.size() + name.size() + fields_.size() + 8);
  result.append(line_);
  add(result, "Host", name);
  return result.append(fields_);
}

proxy_response_fields::proxy_response_fields(const h1_response& response) {
  lines_.reserve(response.fields.size() + 1);
  for (const auto& line : response.fields) {
    if (is_hop_by_hop(line.id) || line.id == known_field::content_length ||
        is_named(response.fields, line.name))
      continue;
    if (line.id == known_field::via)
      via_.append(line.value).append(", ");
    else
      lines_.push_back(line);
  }
  via_.append(response.minor_version == 0 ? "1.0 " : "1.1 ").append(our_name);
  lines_.push_back({"Via", via_, known_field::via});
}

} // namespace caf_app::http
