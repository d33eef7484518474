#include "actors/http/http_config_rule.hpp"

#include <algorithm>
#include <array>

namespace caf_app::http {

namespace {

/// Fields that frame the message or belong to the connection: the server alone sets them.
bool is_ours(const std::string& name) {
  constexpr std::array names{"connection",       "content-length",   "date", "keep-alive",
                             "proxy-connection", "server",           "te",   "trailer",
                             "upgrade",          "transfer-encoding"};
  const auto key = to_lower(name);
  return std::any_of(names.begin(), names.end(), [&](const char* x) { return key == x; });
}

bool is_upper_hex(char c) { return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'F'); }

} // namespace

bool is_normal_path(std::string_view path) {
  if (!path.starts_with('/'))
    return false;
  for (size_t i = 0; i < path.size(); ++i) {
    const char c = path[i];
    if (c <= ' ' || c >= 0x7F || std::string_view{"?#\\\"<>^`{|}"}.find(c) != path.npos)
      return false;
    if (c == '%' &&
        (i + 2 >= path.size() || !is_upper_hex(path[i + 1]) || !is_upper_hex(path[i + 2])))
      return false;
  }
  const auto slashed = std::string{path} + "/";
  return slashed.find("/./") == slashed.npos && slashed.find("/../") == slashed.npos;
}

bool is_redirect_target(std::string_view to) {
  if (!to.starts_with('/') && !to.starts_with("http://") && !to.starts_with("https://"))
    return false;
  for (auto rest = to; rest.find("${") != rest.npos;) {
    rest.remove_prefix(rest.find("${"));
    const auto name = rest.substr(0, rest.find('}') + 1);
    if (name != "${path}" && name != "${query}")
      return false;
    rest.remove_prefix(name.size());
  }
  return std::all_of(to.begin(), to.end(), [](char c) { return c > ' ' && c < 0x7F; });
}

config_rule<std::string> as_matching(std::string type, std::string wanted,
                                     std::function<bool(std::string_view)> good) {
  return {std::move(type),
          [=](const config_value& value, std::string& out, config_report& report) {
            const auto* text = value.as<std::string>();
            if (!text || !good(*text))
              return expected_other(value, wanted, report);
            out = *text;
            return true;
          },
          [](const std::string& value) { return toml_quoted(value); }};
}

config_rule<double> as_share() {
  return {"number of 0 to 1",
          [](const config_value& value, double& out, config_report& report) {
            const auto* real = value.as<double>();
            const auto* whole = value.as<int64_t>();
            const auto read = real ? *real : whole ? static_cast<double>(*whole) : -1;
            if (!(read >= 0 && read <= 1))
              return expected_other(value, "a number of 0 to 1", report);
            out = read;
            return true;
          },
          [](const double& value) {
            auto text = std::to_string(value);
            text.erase(std::max(text.find_last_not_of('0') + 1, text.find('.') + 2));
            return text;
          }};
}

const config_value& written(const config_value& table, const std::string& key) {
  const auto* value = table.find(key);
  return value ? *value : table;
}

bool was_read(const config_value& table, const std::string& key, size_t count) {
  const auto* value = table.find(key);
  const auto* list = value ? value->as_array() : nullptr;
  return count == (list ? list->size() : value ? 1 : 0);
}

config_rule<header_list> as_response_fields() {
  auto rule = as_string_map();
  rule.read = [map = rule.read](const config_value& value, header_list& out,
                                config_report& report) {
    header_list fields;
    if (!map(value, fields, report))
      return false;
    const auto before = report.size();
    for (const auto& member : *value.as_table()) {
      if (!is_token(member.key))
        report.add(member.at, "found " + toml_quoted(member.key) + ", expected a field name");
      else if (is_ours(member.key))
        report.add(member.at, "the field " + toml_quoted(member.key) + " is set by the server");
      if (!is_field_value(*member.value.as<std::string>()))
        expected_other(member.value, "a field value without control bytes", report);
    }
    if (report.size() != before)
      return false;
    out = std::move(fields);
    return true;
  };
  return rule;
}

} // namespace caf_app::http
