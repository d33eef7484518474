// How caf-ctl shows the JSON of the admin interface to people.
#pragma once

#include <string>

#include <boost/json/value.hpp>

namespace caf_app {

/// An array of objects as a table with a line of headings, anything else as indented JSON.
std::string to_table(const boost::json::value& value);

/// /v1/tree as an indented tree. @param siblings_max more of one parent are summed up in a line
std::string to_tree(const boost::json::value& entries, size_t siblings_max = 20);

/// /v1/status, one line per fact.
std::string to_facts(const boost::json::value& object);

/// The member `instances` of /v1/scaler as a table; "none" without it.
std::string to_instances(const boost::json::value& scaler);

/// /v1/decisions, a line each: when, what, how many, and why.
/// @param all also those that hold for the same reason as the one before of their target; else they
/// are counted in its line
std::string to_decisions(const boost::json::value& array, bool all);

} // namespace caf_app
