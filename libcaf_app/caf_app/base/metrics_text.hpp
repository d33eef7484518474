// Spelling of the Prometheus text format 0.0.4: names, escapes, numbers and sample lines. The
// registry in metrics.cpp decides what is written.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace caf_app {

/// What a TYPE line says.
enum class metric_kind { counter, gauge, histogram };

/// As in a TYPE line: "counter", "gauge", "histogram".
std::string to_string(metric_kind kind);

/// [a-zA-Z_:][a-zA-Z0-9_:]*
bool is_metric_name(std::string_view name);

/// [a-zA-Z_][a-zA-Z0-9_]*, without the reserved prefix `__`
bool is_label_name(std::string_view name);

/// Appends the HELP and TYPE lines of a family.
void append_family(std::string& out, std::string_view name, std::string_view help,
                   metric_kind kind);

/// Appends one sample line. @param extra one more label, written last, if its name is not empty
void append_sample(std::string& out, std::string_view name,
                   const std::vector<std::pair<std::string, std::string>>& labels, double value,
                   std::pair<std::string_view, std::string_view> extra = {});

/// The shortest text that reads back as `value`; "+Inf", "-Inf", "NaN".
std::string metric_number(double value);

} // namespace caf_app
