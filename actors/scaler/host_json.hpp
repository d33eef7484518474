// A host_sample as part of a report to another node. Pure. Times are those of the host's clock; the
// reader moves them to its own.
#pragma once

#include <boost/json/object.hpp>

#include "actors/scaler/samples.hpp"

namespace caf_app::scaler {

boost::json::object host_to_json(const host_sample& host);

/// @param shift from the clock of the host to one's own
/// @throws what boost::json does for a member that is missing or of another type
host_sample host_from_json(const boost::json::object& x, steady::duration shift);

} // namespace caf_app::scaler
