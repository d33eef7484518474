#include "actors/http/loop_context.hpp"

#include "actors/http/log_line.hpp"

namespace caf_app::http {

namespace {

constexpr size_t parsers_in_stock_max = 64; // as many as one pass of the loop may need

h1_limits head_limits(const http_limits& limits) {
  return {limits.max_header_bytes, limits.max_headers, limits.max_target};
}

} // namespace

steady::duration loop_context::spread_age() noexcept {
  const steady::duration age = table->limits().connection_max_age;
  return age * 9 / 10 + age / 50 * static_cast<int>(next_exchange_id() % 11);
}

std::string_view loop_context::date() {
  if (now >= date_until_) {
    using namespace std::chrono;
    const auto since_epoch = wall_now().time_since_epoch();
    const auto second = floor<seconds>(since_epoch);
    date_seconds_ = second.count();
    date_ = format_http_date(date_seconds_);
    date_until_ = now + duration_cast<steady::duration>(second + seconds{1} - since_epoch);
  }
  return to_string_view(date_);
}

void loop_context::log_request(access_record record, const route_entry* route,
                               steady::time_point began) const {
  using namespace std::chrono;
  const auto duration = steady_now() - began;
  record.time = floor<seconds>(wall_now() - duration_cast<wall::duration>(duration));
  record.duration = duration_cast<microseconds>(duration);
  if (route) {
    record.site = route->site;
    record.route = route->config.name;
  }
  const auto json = table->config().access_format == access_format::json;
  access_log->write(json ? json_line(record) : combined_line(record));
}

std::unique_ptr<h1_request_parser> loop_context::take_parser() {
  const auto limits = head_limits(table->limits());
  while (!parsers_.empty() && parsers_.back()->limits() != limits) // from before a reload
    parsers_.pop_back();
  if (parsers_.empty())
    return std::make_unique<h1_request_parser>(limits);
  auto parser = std::move(parsers_.back());
  parsers_.pop_back();
  return parser;
}

void loop_context::give_parser(std::unique_ptr<h1_request_parser> parser) {
  if (parsers_.size() >= parsers_in_stock_max)
    return;
  parser->reset();
  parsers_.push_back(std::move(parser));
}

} // namespace caf_app::http
