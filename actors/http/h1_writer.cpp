#include "actors/http/h1_writer.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "caf_app/base/assert.hpp"

#include "actors/http/status.hpp"

namespace caf_app::http {

namespace {

constexpr std::string_view line_end = "\r\n";
constexpr std::string_view date_name = "Date: ";
constexpr size_t date_bytes = 29;

// The digits of a number, without memory of its own.
class decimal {
public:
  explicit decimal(uint64_t value) noexcept {
    const auto end = std::to_chars(bytes_, bytes_ + sizeof(bytes_), value).ptr;
    length_ = static_cast<size_t>(end - bytes_);
  }

  std::string_view view() const noexcept { return {bytes_, length_}; }

private:
  char bytes_[20];
  size_t length_;
};

// Writes into memory that is known to be large enough.
class cursor {
public:
  explicit cursor(char* at) noexcept : at_(at) {}

  cursor& operator<<(std::string_view text) noexcept {
    if (!text.empty()) { // an empty view may have no address
      std::memcpy(at_, text.data(), text.size());
      at_ += text.size();
    }
    return *this;
  }

private:
  char* at_;
};

bool are_valid(std::span<const field> fields) noexcept {
  return std::all_of(fields.begin(), fields.end(), [](const field& line) {
    return is_token(line.name) && is_field_value(line.value);
  });
}

size_t size_of(std::span<const field> fields) noexcept {
  size_t size = 0;
  for (const auto& line : fields)
    size += line.name.size() + line.value.size() + 4;
  return size;
}

void put(cursor& out, std::span<const field> fields) noexcept {
  for (const auto& line : fields)
    out << line.name << ": " << line.value << line_end;
}

size_t size_of_line(std::string_view name, std::string_view value) noexcept {
  return value.empty() ? 0 : name.size() + value.size() + line_end.size();
}

void put_line(cursor& out, std::string_view name, std::string_view value) noexcept {
  if (!value.empty())
    out << name << value << line_end;
}

std::string_view text_of(h1_connection what) noexcept {
  switch (what) {
    case h1_connection::keep_alive: return "Connection: keep-alive\r\n";
    case h1_connection::close: return "Connection: close\r\n";
    case h1_connection::implicit: break;
  }
  return {};
}

// "HTTP/1.1 299 Unknown\r\n" for codes without a line of their own; `made` holds it.
std::string_view line_of(uint16_t status, std::string& made) {
  if (const auto ready = status_line(status); !ready.empty())
    return ready;
  made = "HTTP/1.1 " + std::to_string(status) + " Unknown\r\n";
  return made;
}

} // namespace

bool append_head(std::string& out, const h1_response_head& head) {
  if (!is_field_value(head.content_type) || !is_field_value(head.server) || !are_valid(head.fields))
    return false;
  constexpr std::string_view server_name = "Server: ";
  constexpr std::string_view type_name = "Content-Type: ";
  constexpr std::string_view length_name = "Content-Length: ";
  std::string made;
  const auto first = line_of(head.status, made);
  const auto connection = text_of(head.connection);
  const decimal number{head.content_length};
  const auto length = head.content == h1_content::length ? number.view() : std::string_view{};
  const auto coding =
      head.content == h1_content::chunked ? "Transfer-Encoding: chunked\r\n" : std::string_view{};
  const auto size = first.size() + size_of_line(date_name, head.date) +
                    size_of_line(server_name, head.server) +
                    size_of_line(type_name, head.content_type) + size_of_line(length_name, length) +
                    coding.size() + connection.size() + size_of(head.fields) + line_end.size();
  const auto before = out.size();
  out.resize(before + size);
  cursor at{out.data() + before};
  at << first;
  put_line(at, date_name, head.date);
  put_line(at, server_name, head.server);
  put_line(at, type_name, head.content_type);
  put_line(at, length_name, length);
  at << coding << connection;
  put(at, head.fields);
  at << line_end;
  return true;
}

bool append_interim(std::string& out, uint16_t status, std::span<const field> fields) {
  h1_response_head head;
  head.status = status;
  head.content = h1_content::none;
  head.fields = fields;
  return append_head(out, head);
}

chunk_head::chunk_head(size_t size) noexcept {
  auto* end = std::to_chars(bytes_.data(), bytes_.data() + bytes_.size(), size, 16).ptr;
  *end++ = '\r';
  *end++ = '\n';
  length_ = static_cast<size_t>(end - bytes_.data());
}

void append_chunk(std::string& out, std::string_view data) {
  if (data.empty())
    return;
  const chunk_head head{data.size()};
  const auto before = out.size();
  out.resize(before + head.view().size() + data.size() + chunk_end.size());
  cursor{out.data() + before} << head.view() << data << chunk_end;
}

bool append_last_chunk(std::string& out, std::span<const field> trailers) {
  if (!are_valid(trailers))
    return false;
  constexpr std::string_view last = "0\r\n";
  const auto before = out.size();
  out.resize(before + last.size() + size_of(trailers) + line_end.size());
  cursor at{out.data() + before};
  at << last;
  put(at, trailers);
  at << line_end;
  return true;
}

std::string refusal_body(uint16_t status) {
  std::string body = std::to_string(status);
  body += ' ';
  body += reason_phrase(status);
  body += '\n';
  return body;
}

void append_refusal(std::string& out, const h1_refusal& refusal) {
  const auto body = refusal_body(refusal.status);
  h1_response_head head;
  head.status = refusal.status;
  head.connection = refusal.connection;
  head.content_length = body.size();
  head.date = refusal.date;
  head.server = refusal.server;
  head.content_type = "text/plain";
  head.fields = refusal.fields;
  CAF_APP_ASSERT(append_head(out, head));
  if (refusal.method != method::head)
    out += body;
}

std::optional<h1_prepared_response> h1_prepared_response::make(h1_response_head head,
                                                               std::string_view body) {
  constexpr std::string_view any_date = "Thu, 01 Jan 1970 00:00:00 GMT";
  static_assert(any_date.size() == date_bytes);
  head.date = any_date;
  head.content_length = body.size();
  h1_prepared_response result;
  if (!append_head(result.bytes_, head))
    return std::nullopt;
  result.date_offset_ = result.bytes_.find(line_end) + line_end.size() + date_name.size();
  result.head_length_ = result.bytes_.size();
  if (!is_bodiless(head.status))
    result.bytes_ += body;
  return result;
}

void h1_prepared_response::append_to(std::string& out, std::string_view date) const {
  append_bytes(out, date, bytes_.size());
}

void h1_prepared_response::append_head_to(std::string& out, std::string_view date) const {
  append_bytes(out, date, head_length_);
}

void h1_prepared_response::append_bytes(std::string& out, std::string_view date,
                                        size_t length) const {
  const auto before = out.size();
  out.append(bytes_, 0, length);
  CAF_APP_ASSERT(date.size() == date_bytes);
  std::memcpy(out.data() + before + date_offset_, date.data(), date_bytes);
}

} // namespace caf_app::http
