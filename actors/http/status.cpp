#include "actors/http/status.hpp"

#include <algorithm>
#include <array>

namespace caf_app::http {

namespace {

// Sorted by code.
constexpr std::array lines{
    std::string_view{"HTTP/1.1 100 Continue\r\n"},
    std::string_view{"HTTP/1.1 101 Switching Protocols\r\n"},
    std::string_view{"HTTP/1.1 102 Processing\r\n"},
    std::string_view{"HTTP/1.1 103 Early Hints\r\n"},
    std::string_view{"HTTP/1.1 200 OK\r\n"},
    std::string_view{"HTTP/1.1 201 Created\r\n"},
    std::string_view{"HTTP/1.1 202 Accepted\r\n"},
    std::string_view{"HTTP/1.1 203 Non-Authoritative Information\r\n"},
    std::string_view{"HTTP/1.1 204 No Content\r\n"},
    std::string_view{"HTTP/1.1 205 Reset Content\r\n"},
    std::string_view{"HTTP/1.1 206 Partial Content\r\n"},
    std::string_view{"HTTP/1.1 207 Multi-Status\r\n"},
    std::string_view{"HTTP/1.1 208 Already Reported\r\n"},
    std::string_view{"HTTP/1.1 226 IM Used\r\n"},
    std::string_view{"HTTP/1.1 300 Multiple Choices\r\n"},
    std::string_view{"HTTP/1.1 301 Moved Permanently\r\n"},
    std::string_view{"HTTP/1.1 302 Found\r\n"},
    std::string_view{"HTTP/1.1 303 See Other\r\n"},
    std::string_view{"HTTP/1.1 304 Not Modified\r\n"},
    std::string_view{"HTTP/1.1 305 Use Proxy\r\n"},
    std::string_view{"HTTP/1.1 307 Temporary Redirect\r\n"},
    std::string_view{"HTTP/1.1 308 Permanent Redirect\r\n"},
    std::string_view{"HTTP/1.1 400 Bad Request\r\n"},
    std::string_view{"HTTP/1.1 401 Unauthorized\r\n"},
    std::string_view{"HTTP/1.1 402 Payment Required\r\n"},
    std::string_view{"HTTP/1.1 403 Forbidden\r\n"},
    std::string_view{"HTTP/1.1 404 Not Found\r\n"},
    std::string_view{"HTTP/1.1 405 Method Not Allowed\r\n"},
    std::string_view{"HTTP/1.1 406 Not Acceptable\r\n"},
    std::string_view{"HTTP/1.1 407 Proxy Authentication Required\r\n"},
    std::string_view{"HTTP/1.1 408 Request Timeout\r\n"},
    std::string_view{"HTTP/1.1 409 Conflict\r\n"},
    std::string_view{"HTTP/1.1 410 Gone\r\n"},
    std::string_view{"HTTP/1.1 411 Length Required\r\n"},
    std::string_view{"HTTP/1.1 412 Precondition Failed\r\n"},
    std::string_view{"HTTP/1.1 413 Content Too Large\r\n"},
    std::string_view{"HTTP/1.1 414 URI Too Long\r\n"},
    std::string_view{"HTTP/1.1 415 Unsupported Media Type\r\n"},
    std::string_view{"HTTP/1.1 416 Range Not Satisfiable\r\n"},
    std::string_view{"HTTP/1.1 417 Expectation Failed\r\n"},
    std::string_view{"HTTP/1.1 421 Misdirected Request\r\n"},
    std::string_view{"HTTP/1.1 422 Unprocessable Content\r\n"},
    std::string_view{"HTTP/1.1 423 Locked\r\n"},
    std::string_view{"HTTP/1.1 424 Failed Dependency\r\n"},
    std::string_view{"HTTP/1.1 425 Too Early\r\n"},
    std::string_view{"HTTP/1.1 426 Upgrade Required\r\n"},
    std::string_view{"HTTP/1.1 428 Precondition Required\r\n"},
    std::string_view{"HTTP/1.1 429 Too Many Requests\r\n"},
    std::string_view{"HTTP/1.1 431 Request Header Fields Too Large\r\n"},
    std::string_view{"HTTP/1.1 451 Unavailable For Legal Reasons\r\n"},
    std::string_view{"HTTP/1.1 500 Internal Server Error\r\n"},
    std::string_view{"HTTP/1.1 501 Not Implemented\r\n"},
    std::string_view{"HTTP/1.1 502 Bad Gateway\r\n"},
    std::string_view{"HTTP/1.1 503 Service Unavailable\r\n"},
    std::string_view{"HTTP/1.1 504 Gateway Timeout\r\n"},
    std::string_view{"HTTP/1.1 505 HTTP Version Not Supported\r\n"},
    std::string_view{"HTTP/1.1 506 Variant Also Negotiates\r\n"},
    std::string_view{"HTTP/1.1 507 Insufficient Storage\r\n"},
    std::string_view{"HTTP/1.1 508 Loop Detected\r\n"},
    std::string_view{"HTTP/1.1 510 Not Extended\r\n"},
    std::string_view{"HTTP/1.1 511 Network Authentication Required\r\n"},
};

constexpr size_t code_offset = 9;    // of the code in a line
constexpr size_t phrase_offset = 13; // of the phrase in a line

constexpr unsigned code_of_line(std::string_view line) noexcept {
  unsigned code = 0;
  for (char digit : line.substr(code_offset, 3))
    code = code * 10 + static_cast<unsigned>(digit - '0');
  return code;
}

static_assert(std::is_sorted(lines.begin(), lines.end()));

// For each code the number of its line plus 1.
constexpr std::array<uint8_t, 600> numbers = [] {
  std::array<uint8_t, 600> result{};
  for (size_t i = 0; i < lines.size(); ++i)
    result[code_of_line(lines[i])] = static_cast<uint8_t>(i + 1);
  return result;
}();

} // namespace

std::string_view status_line(uint16_t status) noexcept {
  const auto number = status < numbers.size() ? numbers[status] : 0;
  return number ? lines[number - 1] : std::string_view{};
}

std::string_view reason_phrase(uint16_t status) noexcept {
  auto line = status_line(status);
  if (line.empty())
    return "Unknown";
  line.remove_prefix(phrase_offset);
  line.remove_suffix(2);
  return line;
}

} // namespace caf_app::http
