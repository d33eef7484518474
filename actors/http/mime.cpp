#include "actors/http/mime.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "actors/http/field.hpp"

namespace caf_app::http {

namespace {

using entry = std::pair<std::string_view, std::string_view>;

// Sorted by extension. Types as registered with IANA; text/javascript by RFC 9239.
constexpr std::array types{
    entry{"7z", "application/x-7z-compressed"},
    entry{"aac", "audio/aac"},
    entry{"apng", "image/apng"},
    entry{"atom", "application/atom+xml"},
    entry{"avif", "image/avif"},
    entry{"bmp", "image/bmp"},
    entry{"bz2", "application/x-bzip2"},
    entry{"css", "text/css; charset=utf-8"},
    entry{"csv", "text/csv; charset=utf-8"},
    entry{"doc", "application/msword"},
    entry{"docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"},
    entry{"eot", "application/vnd.ms-fontobject"},
    entry{"epub", "application/epub+zip"},
    entry{"flac", "audio/flac"},
    entry{"gif", "image/gif"},
    entry{"gz", "application/gzip"},
    entry{"htm", "text/html; charset=utf-8"},
    entry{"html", "text/html; charset=utf-8"},
    entry{"ico", "image/vnd.microsoft.icon"},
    entry{"ics", "text/calendar; charset=utf-8"},
    entry{"jar", "application/java-archive"},
    entry{"jpeg", "image/jpeg"},
    entry{"jpg", "image/jpeg"},
    entry{"js", "text/javascript; charset=utf-8"},
    entry{"json", "application/json"},
    entry{"jsonld", "application/ld+json"},
    entry{"jxl", "image/jxl"},
    entry{"log", "text/plain; charset=utf-8"},
    entry{"m3u8", "application/vnd.apple.mpegurl"},
    entry{"m4a", "audio/mp4"},
    entry{"map", "application/json"},
    entry{"md", "text/markdown; charset=utf-8"},
    entry{"mjs", "text/javascript; charset=utf-8"},
    entry{"mkv", "video/matroska"},
    entry{"mov", "video/quicktime"},
    entry{"mp3", "audio/mpeg"},
    entry{"mp4", "video/mp4"},
    entry{"odt", "application/vnd.oasis.opendocument.text"},
    entry{"oga", "audio/ogg"},
    entry{"ogg", "audio/ogg"},
    entry{"ogv", "video/ogg"},
    entry{"opus", "audio/ogg"},
    entry{"otf", "font/otf"},
    entry{"pdf", "application/pdf"},
    entry{"png", "image/png"},
    entry{"pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"},
    entry{"rss", "application/rss+xml"},
    entry{"rtf", "application/rtf"},
    entry{"svg", "image/svg+xml"},
    entry{"tar", "application/x-tar"},
    entry{"tif", "image/tiff"},
    entry{"tiff", "image/tiff"},
    entry{"toml", "application/toml"},
    entry{"ts", "video/mp2t"},
    entry{"ttf", "font/ttf"},
    entry{"txt", "text/plain; charset=utf-8"},
    entry{"wasm", "application/wasm"},
    entry{"wav", "audio/wav"},
    entry{"weba", "audio/webm"},
    entry{"webm", "video/webm"},
    entry{"webmanifest", "application/manifest+json"},
    entry{"webp", "image/webp"},
    entry{"woff", "font/woff"},
    entry{"woff2", "font/woff2"},
    entry{"xhtml", "application/xhtml+xml"},
    entry{"xls", "application/vnd.ms-excel"},
    entry{"xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"},
    entry{"xml", "application/xml"},
    entry{"xz", "application/x-xz"},
    entry{"yaml", "application/yaml"},
    entry{"yml", "application/yaml"},
    entry{"zip", "application/zip"},
    entry{"zst", "application/zstd"},
};

static_assert(std::is_sorted(types.begin(), types.end(),
                             [](const entry& a, const entry& b) { return a.first < b.first; }));

constexpr std::string_view unknown = "application/octet-stream";

} // namespace

std::string_view mime_type(std::string_view name, const mime_overrides& overrides) {
  name.remove_prefix(std::min(name.find_last_of('/') + 1, name.size()));
  const auto dot = name.find_last_of('.');
  if (dot == std::string_view::npos)
    return unknown;
  const auto extension = to_lower(name.substr(dot + 1));
  if (const auto found = overrides.find(extension); found != overrides.end())
    return found->second;
  const auto found = std::lower_bound(
      types.begin(), types.end(), std::string_view{extension},
      [](const entry& each, std::string_view wanted) { return each.first < wanted; });
  return found != types.end() && found->first == extension ? found->second : unknown;
}

} // namespace caf_app::http
