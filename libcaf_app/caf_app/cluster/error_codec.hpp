// Errors of CAF as they cross a link: code, category and text stay, other context becomes text.
#pragma once

#include <caf/error.hpp>

#include "caf_app/cluster/link_body.hpp"

namespace caf_app {

/// Keeps code and category; the context becomes text.
wire_error to_wire(const caf::error& reason);
/// An error of the same code and category, with the text as its context.
caf::error from_wire(const wire_error& reason);

} // namespace caf_app
