// The matrix of condition x range x coding x HEAD for static files, with the answers of a second,
// slow model. It shares no code with the planner: tags, dates and byte ranges stand in its tables
// as text.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "actors/http/static_plan.hpp"

namespace static_plan_model {

using caf_app::http::coding;
using caf_app::http::static_file;
using std::string;
using std::vector;

inline constexpr int64_t written_ns = 784'111'777'000'000'000;
inline const std::chrono::sys_seconds now{std::chrono::seconds{784'112'777}};

// A file on disk, and the forms that the server may send.
struct form {
  string coding; // identity, gzip, br, zstd
  bool stored;
  uint64_t size; // of what is read
  string tag;
  string modified;
};

struct resource_row {
  string type;
  uint64_t size;
  vector<static_file> siblings;
  vector<form> forms; // by preference among equals
  bool varies;
};

inline const string at37 = "Sun, 06 Nov 1994 08:49:37 GMT";
inline const string at38 = "Sun, 06 Nov 1994 08:49:38 GMT";

inline const vector<resource_row> resources{
    {"image/png", 100, {}, {{"identity", true, 100, "\"ae1b981bc490a00-64\"", at37}}, false},
    {"text/html; charset=utf-8",
     5000,
     {},
     {{"br", false, 5000, "W/\"ae1b981bc490a00-1388-br\"", at37},
      {"zstd", false, 5000, "W/\"ae1b981bc490a00-1388-zstd\"", at37},
      {"gzip", false, 5000, "W/\"ae1b981bc490a00-1388-gzip\"", at37},
      {"identity", true, 5000, "\"ae1b981bc490a00-1388\"", at37}},
     true},
    {"text/html",
     5000,
     {{coding::gzip, 60, written_ns}},
     {{"gzip", true, 60, "\"ae1b981bc490a00-3c-gzip\"", at37},
      {"br", false, 5000, "W/\"ae1b981bc490a00-1388-br\"", at37},
      {"zstd", false, 5000, "W/\"ae1b981bc490a00-1388-zstd\"", at37},
      {"identity", true, 5000, "\"ae1b981bc490a00-1388\"", at37}},
     true},
    {"image/png", // its sibling is too old
     100,
     {{coding::gzip, 60, written_ns - 1}},
     {{"identity", true, 100, "\"ae1b981bc490a00-64\"", at37}},
     false},
    {"", 0, {}, {{"identity", true, 0, "\"ae1b981bc490a00-0\"", at37}}, false},
    {"image/png",
     100,
     {{coding::br, 60, written_ns + 1'000'000'000}},
     {{"br", true, 60, "\"ae1b981f7e3d400-3c-br\"", at38},
      {"identity", true, 100, "\"ae1b981bc490a00-64\"", at37}},
     true},
};

struct accept_row {
  std::optional<string> value;
  vector<vector<string>> wanted; // groups of equal weight, best first
};

inline const vector<accept_row> accepts{
    {std::nullopt, {{"identity"}}},
    {"gzip", {{"gzip"}, {"identity"}}},
    {"br, gzip", {{"br", "gzip"}, {"identity"}}},
    {"gzip, br;q=0.5, identity;q=0.1", {{"gzip"}, {"br"}, {"identity"}}},
    {"identity;q=0", {}},
    {"identity;q=0, gzip", {{"gzip"}}},
};

struct range_row {
  string value; // empty: no field
  string if_range;
};

// {tag}, {weak} and {date} stand for those of the form that would be sent.
inline const vector<range_row> ranges{
    {"", ""},
    {"bytes=0-4", ""},
    {"bytes=5-", ""},
    {"bytes=-7", ""},
    {"bytes=99999-", ""},
    {"bytes=x", ""},
    {"bytes=0-1,3-4", ""},
    {"bytes=0-0,0-0,0-0", ""},
    {"bytes=0-4", "{tag}"},
    {"bytes=0-4", "\"other\""},
    {"bytes=0-4", "{weak}"},
    {"bytes=0-4", "{date}"},
    {"bytes=0-4", "Sun, 06 Nov 1994 08:49:36 GMT"},
    {"bytes=99999-", "\"other\""},
    {"", "{tag}"},
};

struct condition_row {
  string if_match;
  string if_none_match;
  string if_modified_since;
  string if_unmodified_since;
  int outcome; // 200, 304, 412; -412: 412 if the form's tag is weak, else 200
};

inline const string before = "Sun, 06 Nov 1994 08:49:36 GMT";
inline const string after = "Sunday, 06-Nov-94 08:50:00 GMT";
inline const string future = "Mon, 06 Nov 2034 08:49:37 GMT";

inline const vector<condition_row> conditions{
    {"", "", "", "", 200},
    {"", "{tag}", "", "", 304},
    {"", "\"other\", {weak}", "", "", 304},
    {"", "*", "", "", 304},
    {"", "\"other\"", "", "", 200},
    {"", "\"other\"", "{date}", "", 200},
    {"", "{tag}", before, "", 304},
    {"", "", "{date}", "", 304},
    {"", "", before, "", 200},
    {"", "", after, "", 304},
    {"", "", future, "", 200},
    {"", "", "yesterday", "", 200},
    {"{tag}", "", "", "", -412},
    {"{weak}", "", "", "", 412},
    {"*", "", "", "", 200},
    {"\"other\"", "{tag}", "", "", 412},
    {"*", "{tag}", "", "", 304},
    {"", "", "", "{date}", 200},
    {"", "", "", before, 412},
    {"*", "", "", before, 200},
    {"", "", "", "tomorrow", 200},
};

inline string filled(string text, const form& sent) {
  const auto opaque = sent.tag.substr(sent.tag.find('"'));
  const std::pair<string, string> marks[]{
      {"{tag}", sent.tag}, {"{weak}", "W/" + opaque}, {"{date}", sent.modified}};
  for (const auto& [mark, value] : marks)
    if (const auto at = text.find(mark); at != string::npos)
      text.replace(at, mark.size(), value);
  return text;
}

// ---- the slow model

struct answer {
  int status = 200;
  string source = "identity";
  string applied = "identity";
  string length = "none";
  vector<string> fields;
  vector<std::pair<uint64_t, uint64_t>> bytes;

  string shown() const {
    auto sorted = fields;
    std::sort(sorted.begin(), sorted.end());
    auto result = std::to_string(status) + ' ' + source + ' ' + applied + ' ' + length + '\n';
    for (const auto& each : sorted)
      result += each + '\n';
    for (const auto& [first, last] : bytes)
      result += std::to_string(first) + '-' + std::to_string(last) + '\n';
    return result;
  }
};

inline const form* model_form(const resource_row& resource, const accept_row& accept,
                              bool has_range) {
  for (const auto& group : accept.wanted)
    for (const auto& each : resource.forms)
      if ((each.stored || !has_range) &&
          std::find(group.begin(), group.end(), each.coding) != group.end())
        return &each;
  return nullptr;
}

// Ranges of the table, by hand. 1: whole, 2: unsatisfiable, 3: parts
inline int model_range(const range_row& range, const form& sent, bool head, answer& out) {
  if (range.value.empty() || head || range.value == "bytes=x")
    return 1;
  const auto tag_is_weak = sent.tag[0] == 'W';
  if (range.if_range == "\"other\"" || range.if_range == "{weak}" || range.if_range == before ||
      (range.if_range == "{tag}" && tag_is_weak))
    return 1;
  const auto size = sent.size;
  if (range.value == "bytes=99999-")
    return 2;
  if (range.value == "bytes=-7") {
    if (size == 0)
      return 1;
    out.bytes = {{size - 7, size - 1}};
    return 3;
  }
  if (size == 0)
    return 2;
  if (range.value == "bytes=0-0,0-0,0-0")
    return 1;
  if (range.value == "bytes=0-4")
    out.bytes = {{0, 4}};
  else if (range.value == "bytes=5-")
    out.bytes = {{5, size - 1}};
  else if (sent.coding == "identity") // bytes=0-1,3-4
    out.bytes = {{0, 1}, {3, 4}};
  else
    return 1;
  return 3;
}

inline string multipart_length(const resource_row& resource) {
  uint64_t result = 0;
  const auto size = std::to_string(resource.size);
  for (const string part : {"0-1", "3-4"})
    result += ("--BOUNDARY\r\nContent-Type: " + resource.type + "\r\nContent-Range: bytes " + part +
               "/" + size + "\r\n\r\n01\r\n")
                  .size();
  return std::to_string(result + string{"--BOUNDARY--\r\n"}.size());
}

inline void model_content(const resource_row& resource, const range_row& range, const form& sent,
                          bool head, answer& out) {
  const auto kind = model_range(range, sent, head, out);
  const auto size = std::to_string(sent.size);
  if (kind == 2) {
    out.status = 416;
    out.length = "0";
    out.fields.push_back("content-range: bytes */" + size);
    out.fields.push_back("accept-ranges: bytes");
    return;
  }
  out.source = sent.stored ? sent.coding : "identity";
  out.applied = sent.stored ? "identity" : sent.coding;
  out.fields.insert(out.fields.end(), {"etag: " + sent.tag, "cache-control: max-age=60",
                                       "last-modified: " + sent.modified});
  if (sent.coding != "identity")
    out.fields.push_back("content-encoding: " + sent.coding);
  if (sent.stored)
    out.fields.push_back("accept-ranges: bytes");
  if (out.bytes.size() == 2) {
    out.status = 206;
    out.length = multipart_length(resource);
    out.fields.push_back("content-type: multipart/byteranges; boundary=BOUNDARY");
    return;
  }
  if (!resource.type.empty())
    out.fields.push_back("content-type: " + resource.type);
  if (kind == 1) {
    if (sent.size > 0 && !head)
      out.bytes = {{0, sent.size - 1}};
    out.length = sent.stored ? size : "none";
    return;
  }
  out.status = 206;
  const auto [first, last] = out.bytes[0];
  out.length = std::to_string(last - first + 1);
  out.fields.push_back("content-range: bytes " + std::to_string(first) + '-' +
                       std::to_string(last) + '/' + size);
}

inline string model(const resource_row& resource, const accept_row& accept, const range_row& range,
                    const condition_row& condition, bool head) {
  answer out;
  if (resource.varies)
    out.fields.push_back("vary: Accept-Encoding");
  const auto sent = model_form(resource, accept, !range.value.empty());
  auto outcome = sent ? condition.outcome : 406;
  if (outcome == -412)
    outcome = sent->tag[0] == 'W' ? 412 : 200;
  if (outcome == 200) {
    model_content(resource, range, *sent, head, out);
  } else if (outcome == 304) {
    out.status = 304;
    out.fields.push_back("etag: " + sent->tag);
    out.fields.push_back("cache-control: max-age=60");
  } else {
    out.status = outcome;
    out.length = "0";
  }
  return out.shown();
}

} // namespace static_plan_model
