#include "caf_app/base/metrics_text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "caf_app/base/escape.hpp"

namespace caf_app {

namespace {

bool is_word(std::string_view name, std::string_view also) {
  const auto is_start = [also](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           also.find(c) != std::string_view::npos;
  };
  const auto is_rest = [is_start](char c) { return is_start(c) || (c >= '0' && c <= '9'); };
  return !name.empty() && is_start(name.front()) && std::all_of(name.begin(), name.end(), is_rest);
}

enum class quotes { keep, escape };

void append_escaped(std::string& out, std::string_view text, quotes mode) {
  while (!text.empty()) {
    const auto length = utf8_length(text); // a scraper refuses the whole text for one broken byte
    if (length == 0)
      out += "\xEF\xBF\xBD";
    else if (text.front() == '\n')
      out += "\\n";
    else if (text.front() == '\\')
      out += "\\\\";
    else if (text.front() == '"' && mode == quotes::escape)
      out += "\\\"";
    else
      out += text.substr(0, length);
    text.remove_prefix(std::max<size_t>(length, 1));
  }
}

void append_label(std::string& out, std::string_view name, std::string_view value) {
  out += out.back() == '{' ? "" : ",";
  out += name;
  out += "=\"";
  append_escaped(out, value, quotes::escape);
  out += '"';
}

} // namespace

std::string to_string(metric_kind kind) {
  switch (kind) {
    case metric_kind::counter: return "counter";
    case metric_kind::gauge: return "gauge";
    case metric_kind::histogram: return "histogram";
  }
  return "untyped";
}

bool is_metric_name(std::string_view name) { return is_word(name, "_:"); }

bool is_label_name(std::string_view name) { return is_word(name, "_") && !name.starts_with("__"); }

void append_family(std::string& out, std::string_view name, std::string_view help,
                   metric_kind kind) {
  ((out += "# HELP ") += name) += ' ';
  append_escaped(out, help, quotes::keep);
  (((out += "\n# TYPE ") += name) += ' ') += to_string(kind);
  out += '\n';
}

void append_sample(std::string& out, std::string_view name,
                   const std::vector<std::pair<std::string, std::string>>& labels, double value,
                   std::pair<std::string_view, std::string_view> extra) {
  out += name;
  if (!labels.empty() || !extra.first.empty()) {
    out += '{';
    for (const auto& [label, text] : labels)
      append_label(out, label, text);
    if (!extra.first.empty())
      append_label(out, extra.first, extra.second);
    out += '}';
  }
  ((out += ' ') += metric_number(value)) += '\n';
}

std::string metric_number(double value) {
  if (std::isnan(value))
    return "NaN";
  if (std::isinf(value))
    return value > 0 ? "+Inf" : "-Inf";
  const auto size = std::abs(value);
  const bool plain = size == 0 || (size >= 1e-6 && size < 1e17); // as people write it
  char buffer[64];
  const auto [end, failed] =
      std::to_chars(std::begin(buffer), std::end(buffer), value,
                    plain ? std::chars_format::fixed : std::chars_format::scientific);
  return failed == std::errc{} ? std::string{buffer, end} : "NaN";
}

} // namespace caf_app
