#include "actors/http/listing.hpp"

#include <algorithm>
#include <ctime>
#include <tuple>

#include "caf_app/base/escape.hpp"

namespace caf_app::http {

namespace {

bool is_unreserved(unsigned char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_' || c == '~';
}

std::string stamp(std::chrono::sys_seconds time) {
  const time_t seconds = time.time_since_epoch().count();
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%d %H:%M", &parts)};
}

} // namespace

std::string escape_html(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const auto c = static_cast<unsigned char>(text.front());
    const auto length = utf8_length(text);
    switch (c) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '"': result += "&quot;"; break;
      case '\'': result += "&#39;"; break;
      default:
        if (length == 0)
          result += "\xef\xbf\xbd";
        else if (c >= 0x20 && c != 0x7f)
          result += text.substr(0, length);
    }
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  return result;
}

std::string escape_segment(std::string_view name) {
  constexpr auto digits = "0123456789ABCDEF";
  std::string result;
  for (const auto each : name) {
    const auto c = static_cast<unsigned char>(each);
    if (is_unreserved(c))
      result += each;
    else
      result.append(1, '%').append(1, digits[c >> 4]).append(1, digits[c & 15]);
  }
  return result;
}

std::string list_directory(std::string_view path, std::vector<listing_entry> entries) {
  std::sort(entries.begin(), entries.end(), [](const listing_entry& a, const listing_entry& b) {
    return std::tie(b.is_directory, a.name) < std::tie(a.is_directory, b.name);
  });
  const auto title = escape_html(path);
  std::string page = "<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"><title>" + title +
                     "</title></head>\n<body><h1>" + title + "</h1>\n<table>\n";
  if (path != "/")
    page += "<tr><td><a href=\"../\">../</a></td><td></td><td></td></tr>\n";
  for (const auto& each : entries) {
    const auto slash = each.is_directory ? "/" : "";
    // "./" keeps a name such as "javascript:x" from being read as a scheme.
    page.append("<tr><td><a href=\"./").append(escape_segment(each.name)).append(slash);
    page.append("\">").append(escape_html(each.name)).append(slash).append("</a></td><td>");
    page.append(stamp(each.modified)).append("</td><td>");
    page.append(each.is_directory ? "-" : std::to_string(each.size)).append("</td></tr>\n");
  }
  return page += "</table></body></html>\n";
}

} // namespace caf_app::http
