#include "caf_app/base/log.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <mutex>
#include <unistd.h>

#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>

#include "caf_app/base/escape.hpp"

namespace caf_app {

namespace {

/// Writes each formatted line with one write(); a descriptor that takes no more loses the rest of
/// the line, for a log must not stop the server.
class fd_sink final : public spdlog::sinks::base_sink<std::mutex> {
public:
  explicit fd_sink(int fd) : fd_(fd) {}

private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    line_.clear();
    formatter_->format(message, line_);
    std::string_view rest{line_.data(), line_.size()};
    while (!rest.empty()) {
      const auto written = ::write(fd_, rest.data(), rest.size());
      if (written < 0 && errno == EINTR)
        continue;
      if (written <= 0)
        return;
      rest.remove_prefix(static_cast<size_t>(written));
    }
  }

  void flush_() override {}

  int fd_;
  spdlog::memory_buf_t line_;
};

spdlog::level::level_enum spdlog_level(log_level level) {
  switch (level) {
    case log_level::debug: return spdlog::level::debug;
    case log_level::info: return spdlog::level::info;
    case log_level::warning: return spdlog::level::warn;
    case log_level::error: return spdlog::level::err;
    case log_level::off: return spdlog::level::off;
  }
  return spdlog::level::off;
}

void append_number(std::string& out, auto value) {
  char buffer[32];
  const auto [end, failed] = std::to_chars(std::begin(buffer), std::end(buffer), value);
  if (failed == std::errc{})
    out.append(buffer, end);
}

/// The value of a field that is no text. JSON has no word for infinities and NaN.
void append_plain_value(std::string& out, const log_field& field) {
  switch (field.type) {
    case log_field::kind::text: return;
    case log_field::kind::boolean: out += field.integer ? "true" : "false"; return;
    case log_field::kind::integer: append_number(out, field.integer); return;
    case log_field::kind::unsigned_integer:
      append_number(out, static_cast<uint64_t>(field.integer));
      return;
    case log_field::kind::real:
      if (std::isfinite(field.real))
        append_number(out, field.real);
      else
        out += "null";
      return;
  }
}

void append_json_member(std::string& out, std::string_view key, std::string_view text) {
  out += ",\"";
  append_json_escaped(out, key);
  out += "\":\"";
  append_json_escaped(out, text);
  out += '"';
}

/// Everything after the time and the level, without the closing brace.
std::string json_payload(std::string_view node, log_speaker who, std::string_view what,
                         log_fields facts) {
  std::string out;
  out.reserve(128 + what.size());
  if (!node.empty())
    append_json_member(out, "node", node);
  append_json_member(out, "actor", who.name);
  if (who.id != 0) {
    out += ",\"actor_id\":";
    append_number(out, who.id);
  }
  append_json_member(out, "message", what);
  for (const auto& fact : facts) {
    if (fact.type == log_field::kind::text) {
      append_json_member(out, fact.key, fact.text);
      continue;
    }
    out += ",\"";
    append_json_escaped(out, fact.key);
    out += "\":";
    append_plain_value(out, fact);
  }
  return out;
}

/// Quoted unless it is one plain word, so that a reader can tell where it ends.
void append_text_value(std::string& out, std::string_view text) {
  const auto plain = [](char c) {
    return c > ' ' && c < '\x7F' && c != '"' && c != '=' && c != '\\';
  };
  if (!text.empty() && std::all_of(text.begin(), text.end(), plain)) {
    out += text;
    return;
  }
  out += '"';
  append_json_escaped(out, text);
  out += '"';
}

std::string text_payload(std::string_view node, log_speaker who, std::string_view what,
                         log_fields facts) {
  std::string out;
  out.reserve(128 + what.size());
  if (!node.empty())
    (out += node) += ' ';
  append_line_escaped(out, who.name);
  if (who.id != 0) {
    out += '#';
    append_number(out, who.id);
  }
  out += ": ";
  append_line_escaped(out, what);
  for (const auto& fact : facts) {
    out += ' ';
    append_line_escaped(out, fact.key);
    out += '=';
    if (fact.type == log_field::kind::text)
      append_text_value(out, fact.text);
    else
      append_plain_value(out, fact);
  }
  return out;
}

} // namespace

std::string to_string(log_format format) {
  switch (format) {
    case log_format::text: return "text";
    case log_format::json: return "json";
  }
  return "text";
}

std::string to_string(log_level level) {
  switch (level) {
    case log_level::debug: return "debug";
    case log_level::info: return "info";
    case log_level::warning: return "warning";
    case log_level::error: return "error";
    case log_level::off: return "off";
  }
  return "off";
}

struct logger::sink {
  explicit sink(log_options given)
      : options(std::move(given)), lines("caf_app", std::make_shared<fd_sink>(options.fd)) {
    const auto* pattern = options.format == log_format::json
                              ? R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l"%v})"
                              : "%Y-%m-%dT%H:%M:%S.%eZ %l %v";
    lines.set_formatter(
        std::make_unique<spdlog::pattern_formatter>(pattern, spdlog::pattern_time_type::utc, "\n"));
    lines.set_level(spdlog::level::trace); // ours decides
  }

  log_options options;
  spdlog::logger lines;
};

logger::logger(log_options options)
    : level_(options.level), sink_(std::make_unique<sink>(std::move(options))) {}

logger::~logger() = default;

void logger::write_line(log_level level, log_speaker who, std::string_view what,
                        log_fields facts) const {
  const auto& options = sink_->options;
  const auto payload = options.format == log_format::json
                           ? json_payload(options.node, who, what, facts)
                           : text_payload(options.node, who, what, facts);
  sink_->lines.log(options.now(), spdlog::source_loc{}, spdlog_level(level),
                   spdlog::string_view_t{payload.data(), payload.size()});
}

logger_ptr make_logger(log_options options) {
  return std::make_shared<const logger>(std::move(options));
}

logger_ptr make_silent_logger() {
  log_options options;
  options.level = log_level::off;
  return make_logger(std::move(options));
}

} // namespace caf_app
