#include "actors/http/log_line.hpp"

#include <algorithm>
#include <charconv>
#include <ctime>

#include "caf_app/base/escape.hpp"

namespace caf_app::http {

namespace {

// The way of Apache: quote and backslash get a backslash, all that is not printable ASCII or valid
// UTF-8 becomes \xhh.
void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  if (text.empty())
    out += '-';
  while (!text.empty()) {
    const auto c = static_cast<unsigned char>(text.front());
    const auto length = c < 0x80 ? 1 : utf8_length(text);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += text.front();
    } else if (c < 0x20 || c == 0x7f || length == 0 || (c == 0xc2 && text[1] < '\xa0')) {
      constexpr auto digits = "0123456789abcdef"; // C1 controls are caught here byte by byte
      out.append("\\x").append(1, digits[c >> 4]).append(1, digits[c & 15]);
      text.remove_prefix(1);
      continue;
    } else {
      out.append(text.substr(0, length));
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  out += '"';
}

bool is_plain(std::string_view text) {
  for (const auto c : text)
    if (c <= ' ' || c >= 0x7f || c == '"' || c == '\\')
      return false;
  return !text.empty();
}

// A word of the line: without quotes if it needs none.
void append_word(std::string& out, std::string_view text) {
  out += ' ';
  if (text.empty())
    out += '-';
  else if (is_plain(text))
    out += text;
  else
    append_quoted(out, text);
}

void append_number(std::string& out, uint64_t number) {
  char digits[20];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

void append_seconds(std::string& out, std::chrono::microseconds duration) {
  const auto count = static_cast<uint64_t>(std::max<int64_t>(duration.count(), 0));
  append_number(out, count / 1'000'000);
  const auto fraction = std::to_string(1'000'000 + count % 1'000'000);
  out.append(1, '.').append(fraction, 1);
}

std::tm calendar(std::chrono::sys_seconds time) {
  const time_t seconds = time.time_since_epoch().count();
  std::tm result{};
  gmtime_r(&seconds, &result);
  return result;
}

void append_two(std::string& out, int number) {
  out += static_cast<char>('0' + number / 10 % 10);
  out += static_cast<char>('0' + number % 10);
}

void append_clock(std::string& out, const std::tm& time) {
  append_two(out, time.tm_hour);
  out += ':';
  append_two(out, time.tm_min);
  out += ':';
  append_two(out, time.tm_sec);
}

// [06/Nov/1994:08:49:37 +0000]
void append_apache_time(std::string& out, std::chrono::sys_seconds when) {
  constexpr std::string_view months = "JanFebMarAprMayJunJulAugSepOctNovDec";
  const auto time = calendar(when);
  out += '[';
  append_two(out, time.tm_mday);
  out.append(1, '/').append(months.substr(static_cast<size_t>(time.tm_mon) * 3, 3)).append(1, '/');
  append_number(out, static_cast<uint64_t>(time.tm_year) + 1900);
  out += ':';
  append_clock(out, time);
  out += " +0000]";
}

class json_object {
public:
  explicit json_object(std::string& out) : out_(out) { out_ += '{'; }

  void text(std::string_view key, std::string_view value) {
    if (value.empty())
      return;
    name(key);
    out_ += '"';
    append_json_escaped(out_, value);
    out_ += '"';
  }

  void number(std::string_view key, uint64_t value) {
    name(key);
    append_number(out_, value);
  }

  void seconds(std::string_view key, std::chrono::microseconds value) {
    name(key);
    append_seconds(out_, value);
  }

private:
  void name(std::string_view key) {
    if (out_.back() != '{')
      out_ += ',';
    out_.append(1, '"').append(key).append("\":");
  }

  std::string& out_;
};

} // namespace

std::string combined_line(const access_record& record) {
  std::string out;
  out.reserve(256 + record.target.size());
  append_word(out, record.peer);
  out.erase(0, 1);
  out += " -";
  append_word(out, record.user);
  out += ' ';
  append_apache_time(out, record.time);
  out += ' ';
  std::string line{record.method};
  if (!record.target.empty())
    line.append(1, ' ').append(record.target);
  if (!record.version.empty())
    line.append(1, ' ').append(record.version);
  append_quoted(out, line);
  out += ' ';
  append_number(out, record.status);
  out += ' ';
  append_number(out, record.sent);
  out += ' ';
  append_quoted(out, record.referer);
  out += ' ';
  append_quoted(out, record.user_agent);
  append_word(out, record.site);
  append_word(out, record.route);
  out += ' ';
  append_seconds(out, record.duration);
  out += ' ';
  if (record.upstream)
    append_seconds(out, *record.upstream);
  else
    out += '-';
  for (const auto word : {record.cache, record.tls, record.request_id, record.abort})
    append_word(out, word);
  out += '\n';
  return out;
}

std::string json_line(const access_record& record) {
  std::string out;
  out.reserve(384 + record.target.size());
  const auto time = calendar(record.time);
  std::string stamp;
  append_number(stamp, static_cast<uint64_t>(time.tm_year) + 1900);
  stamp += '-';
  append_two(stamp, time.tm_mon + 1);
  stamp += '-';
  append_two(stamp, time.tm_mday);
  stamp += 'T';
  append_clock(stamp, time);
  stamp += 'Z';
  json_object object{out};
  object.text("time", stamp);
  object.text("peer", record.peer);
  object.text("user", record.user);
  object.text("method", record.method);
  object.text("target", record.target);
  object.text("version", record.version);
  object.number("status", record.status);
  object.number("sent", record.sent);
  object.number("received", record.received);
  object.text("referer", record.referer);
  object.text("user_agent", record.user_agent);
  object.text("host", record.host);
  object.text("site", record.site);
  object.text("route", record.route);
  object.seconds("seconds", record.duration);
  if (record.upstream)
    object.seconds("upstream_seconds", *record.upstream);
  object.text("cache", record.cache);
  object.text("tls", record.tls);
  object.text("request_id", record.request_id);
  object.text("abort", record.abort);
  out += "}\n";
  return out;
}

} // namespace caf_app::http
