// Which fields of an application's response this server writes itself (RFC 9110 §7.6.1, §6.6.1):
// those that frame the message or belong to the connection. Actors and scripts cannot set them.
#pragma once

#include "actors/http/field.hpp"

namespace caf_app::http {

/// Whether this field of an application's response is dropped.
inline bool is_servers_own(known_field id) {
  switch (id) {
    case known_field::connection:
    case known_field::content_length:
    case known_field::date:
    case known_field::keep_alive:
    case known_field::server:
    case known_field::te:
    case known_field::trailer:
    case known_field::transfer_encoding:
    case known_field::upgrade: return true;
    default: return false;
  }
}

} // namespace caf_app::http
