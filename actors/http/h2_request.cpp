#include "actors/http/h2_request.hpp"

#include <algorithm>

#include "actors/http/host.hpp"

namespace caf_app::http {

namespace {

constexpr size_t line_overhead = 32; // RFC 9113 §6.5.2

} // namespace

void h2_section::add(std::string_view name, std::string_view value) {
  bytes_ += name.size() + value.size() + line_overhead;
  const auto pseudo = name.starts_with(':');
  if (!pseudo && lines_.size() >= limits_.fields + 5) // five pseudo fields at most
    too_large_ = true;
  if (bytes_ > limits_.bytes)
    too_large_ = true;
  if (too_large_ && !pseudo)
    return; // its pseudo fields still serve the log and the 431
  if (bytes_ > limits_.bytes * 2)
    return;
  lines_.push_back({memory_.size(), name.size(), memory_.size() + name.size(), value.size()});
  memory_.append(name).append(value);
}

std::string_view h2_section::name_of(const line& each) const {
  return std::string_view{memory_}.substr(each.name, each.name_size);
}

std::string_view h2_section::value_of(const line& each) const {
  return std::string_view{memory_}.substr(each.value, each.value_size);
}

// Clients split Cookie for better compression; everyone else wants one line.
void h2_section::join_cookies() {
  const auto is_cookie = [this](const line& each) { return name_of(each) == "cookie"; };
  const auto first = std::find_if(lines_.begin(), lines_.end(), is_cookie);
  if (first == lines_.end() || std::find_if(first + 1, lines_.end(), is_cookie) == lines_.end())
    return;
  std::string joined;
  for (const auto& each : lines_)
    if (is_cookie(each)) {
      if (!joined.empty())
        joined += "; ";
      joined += value_of(each);
    }
  const auto kept = static_cast<size_t>(first - lines_.begin());
  lines_.erase(std::remove_if(first + 1, lines_.end(), is_cookie), lines_.end());
  lines_[kept].value = memory_.size();
  lines_[kept].value_size = joined.size();
  memory_ += joined;
}

void h2_section::index(h2_request& request) {
  join_cookies();
  request.memory = std::move(memory_);
  const auto view = [&](size_t at, size_t size) {
    return std::string_view{request.memory}.substr(at, size);
  };
  for (const auto& each : lines_) {
    const auto name = view(each.name, each.name_size);
    const auto value = view(each.value, each.value_size);
    if (name == ":method")
      request.method_text = value;
    else if (name == ":path")
      request.target = value;
    else if (name == ":scheme")
      request.scheme = value;
    else if (name == ":authority")
      request.host = value;
    else if (!name.starts_with(':'))
      request.fields.push_back({name, value, find_known_field(name)});
  }
}

bool h2_section::finish(h2_request& request) {
  const auto fields = std::count_if(lines_.begin(), lines_.end(), [this](const line& each) {
    return !name_of(each).starts_with(':');
  });
  if (static_cast<size_t>(fields) > limits_.fields)
    too_large_ = true;
  index(request);
  request.method = parse_method(request.method_text);
  const auto host_field = request.fields.first(known_field::host);
  if (request.host.empty())
    request.host = host_field;
  else if (!host_field.empty() && !equals_ignoring_case(request.host, host_field))
    return false;
  if (request.fields.has(known_field::content_length))
    request.content_length = parse_length(request.fields.first(known_field::content_length));
  if (too_large_) {
    request.error = fault::head_size;
    return true;
  }
  if (request.method == method::connect) {
    request.error = fault::method_connect;
    return true;
  }
  if (request.target.size() > limits_.target) {
    request.error = fault::target_size;
    return true;
  }
  const auto parts = parse_target(request.method, request.target);
  const auto authority = parse_authority(request.host);
  if (!parts || !authority) {
    request.error = parts ? fault::host : fault::target;
    return true;
  }
  request.parts = *parts;
  request.port = authority->port;
  // Folded in place: the views of `memory` are ours, and case has no other reader.
  for (auto at = authority->host.data(), end = at + authority->host.size(); at != end; ++at)
    request.memory[static_cast<size_t>(at - request.memory.data())] = to_lower(*at);
  request.host = authority->host;
  return true;
}

std::vector<owned_field> h2_section::finish_trailers() {
  std::vector<owned_field> result;
  for (const auto& each : lines_)
    if (is_allowed_trailer(name_of(each)))
      result.push_back({std::string{name_of(each)}, std::string{value_of(each)}});
  return result;
}

} // namespace caf_app::http
