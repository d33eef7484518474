#include "caf_app/base/config_rule.hpp"

#include <algorithm>

#include "caf_app/base/config_compound_rule.hpp"
#include "caf_app/base/error.hpp"
#include "caf_app/base/escape.hpp"
#include "caf_app/base/limits.hpp"
#include "caf_app/base/units.hpp"

namespace caf_app {

namespace {

std::string range_text(const std::string& min, const std::string& max) {
  return min == max ? min : min + " to " + max;
}

bool is_name(std::string_view text) {
  const auto is_letter_or_digit = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  const auto good = [&](char c) {
    return is_letter_or_digit(c) || c == '-' || c == '_' || c == '.';
  };
  return !text.empty() && text.size() <= limits::config::name_bytes_max &&
         is_letter_or_digit(text.front()) && std::all_of(text.begin(), text.end(), good);
}

/// The rule for an address that `accept` accepts; `wanted` says which ones those are.
template <class Accept>
config_rule<host_port> address_rule(std::string wanted, Accept accept) {
  return {"address",
          [=](const config_value& value, host_port& out, config_report& report) {
            if (const auto* text = value.as<std::string>())
              if (auto address = parse_host_port(*text); address && accept(*address)) {
                out = std::move(*address);
                return true;
              }
            return expected_other(value, wanted, report);
          },
          [](const host_port& where) { return toml_quoted(to_string(where)); }};
}

} // namespace

bool expected_other(const config_value& value, std::string_view wanted, config_report& report) {
  report.add(value.at, "found " + describe(value) + ", expected " + std::string{wanted});
  return false;
}

std::string toml_quoted(std::string_view text) {
  std::string out = "\"";
  append_json_escaped(out, text);
  return out + "\"";
}

std::string alternatives(const std::vector<std::string>& words) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i)
    text += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + words[i];
  return text;
}

config_rule<bool> as_boolean() {
  return {"boolean",
          [](const config_value& value, bool& out, config_report& report) {
            const auto* boolean = value.as<bool>();
            if (!boolean)
              return expected_other(value, "true or false", report);
            out = *boolean;
            return true;
          },
          [](const bool& value) { return std::string{value ? "true" : "false"}; }};
}

config_rule<int64_t> as_integer(int64_t min, int64_t max) {
  const auto range = range_text(std::to_string(min), std::to_string(max));
  const auto wanted = "an integer of " + range;
  return {"integer of " + range,
          [=](const config_value& value, int64_t& out, config_report& report) {
            const auto* integer = value.as<int64_t>();
            if (!integer || *integer < min || *integer > max)
              return expected_other(value, wanted, report);
            out = *integer;
            return true;
          },
          [](const int64_t& value) { return std::to_string(value); }};
}

config_rule<uint64_t> as_size(uint64_t min, uint64_t max) {
  const auto range = range_text(format_size(min), format_size(max));
  return {"size of " + range,
          [=](const config_value& value, uint64_t& out, config_report& report) {
            caf::expected<uint64_t> size = errc::invalid_argument;
            if (const auto* text = value.as<std::string>())
              size = parse_size(*text);
            else if (const auto* bytes = value.as<int64_t>(); bytes && *bytes >= 0)
              size = static_cast<uint64_t>(*bytes);
            if (!size)
              return expected_other(value, "a size such as \"64KiB\", of " + range, report);
            if (*size < min || *size > max)
              return expected_other(value, "a size of " + range, report);
            out = *size;
            return true;
          },
          [](const uint64_t& value) { return toml_quoted(format_size(value)); }};
}

config_rule<std::chrono::milliseconds> as_duration(std::chrono::milliseconds min,
                                                   std::chrono::milliseconds max) {
  const auto range = range_text(format_duration(min), format_duration(max));
  return {
      "duration of " + range,
      [=](const config_value& value, std::chrono::milliseconds& out, config_report& report) {
        const auto* text = value.as<std::string>();
        const auto duration = parse_duration(text ? *text : std::string{});
        if (!duration)
          return expected_other(value, "a duration such as \"500ms\" or \"5s\", of " + range,
                                report);
        if (*duration < min || *duration > max)
          return expected_other(value, "a duration of " + range, report);
        out = *duration;
        return true;
      },
      [](const std::chrono::milliseconds& value) { return toml_quoted(format_duration(value)); }};
}

config_rule<std::string> as_text() {
  return {"string",
          [](const config_value& value, std::string& out, config_report& report) {
            const auto* text = value.as<std::string>();
            if (!text || text->find('\0') != text->npos)
              return expected_other(value, "a string without NUL", report);
            out = *text;
            return true;
          },
          [](const std::string& value) { return toml_quoted(value); }};
}

config_rule<std::string> as_secret(size_t bytes_min) {
  return {"string of at least " + std::to_string(bytes_min) + " bytes, or empty",
          [=](const config_value& value, std::string& out, config_report& report) {
            const auto* text = value.as<std::string>();
            if (text && (text->empty() || text->size() >= bytes_min)) {
              out = *text;
              return true;
            }
            report.add(value.at, "expected a string of at least " + std::to_string(bytes_min) +
                                     " bytes, or an empty one");
            return false;
          },
          [](const std::string&) { return toml_quoted(""); }};
}

config_rule<std::string> as_name() {
  return {"name",
          [](const config_value& value, std::string& out, config_report& report) {
            const auto* text = value.as<std::string>();
            if (!text || !is_name(*text))
              return expected_other(
                  value,
                  "a name of at most " + std::to_string(limits::config::name_bytes_max) +
                      " letters, digits, \"-\", \"_\" and \".\", starting with a letter or digit",
                  report);
            out = *text;
            return true;
          },
          [](const std::string& value) { return toml_quoted(value); }};
}

config_rule<std::filesystem::path> as_path() {
  return {"path",
          [](const config_value& value, std::filesystem::path& out, config_report& report) {
            const auto* text = value.as<std::string>();
            if (!text || text->find('\0') != text->npos)
              return expected_other(value, "a path", report);
            out = text->empty() ? std::filesystem::path{}
                                : (report.folder() / *text).lexically_normal();
            return true;
          },
          [](const std::filesystem::path& value) { return toml_quoted(value.string()); }};
}

config_rule<host_port> as_peer_address() {
  return address_rule("\"host:port\" such as \"127.0.0.1:7101\" or \"[::1]:7101\"",
                      [](const host_port& x) { return x.port != 0; });
}

config_rule<host_port> as_listen_address() {
  return address_rule("\"address:port\" such as \"127.0.0.1:8080\" or \"[::1]:8080\"",
                      [](const host_port& x) { return x.kind != host_kind::name; });
}

config_rule<std::vector<std::pair<std::string, std::string>>> as_string_map() {
  using pairs = std::vector<std::pair<std::string, std::string>>;
  return {"table of strings",
          [rule = as_text()](const config_value& value, pairs& out, config_report& report) {
            const auto* members = value.as_table();
            if (!members)
              return expected_other(value, "a table of strings", report);
            pairs result;
            bool good = true;
            for (const auto& member : *members)
              good &= rule.read(member.value, result.emplace_back(member.key, "").second, report);
            if (good)
              out = std::move(result);
            return good;
          },
          [](const pairs& value) {
            std::string text;
            for (const auto& [key, member] : value)
              text += (text.empty() ? "" : ", ") + toml_quoted(key) + " = " + toml_quoted(member);
            return text.empty() ? "{}" : "{" + text + "}";
          }};
}

} // namespace caf_app
