// Bodies of frames as plain structs: whatever has an `inspect` becomes bytes and comes back, or is
// refused. For structs without handles and messages; those need an actor system: wire_message.hpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "caf_app/cluster/link_body.hpp"
#include "caf_app/cluster/wire_reader.hpp"
#include "caf_app/cluster/wire_writer.hpp"

namespace caf_app {

/// Appends the fields of `body`.
template <class T>
void append_body(std::string& out, const T& body) {
  wire_writer sink{nullptr, out};
  sink(body); // cannot fail: no messages in it
}

/// The head of every message, without a detour: the same bytes.
void append_body(std::string& out, const message_head& head);

/// The bytes of `body` alone.
template <class T>
std::string body_bytes(const T& body) {
  std::string out;
  append_body(out, body);
  return out;
}

/// Takes a `T` off the front of `bytes`; nothing if there is none.
template <class T>
std::optional<T> take_body(std::string_view& bytes) {
  T body;
  wire_reader source{nullptr, bytes};
  if (source(body))
    return std::nullopt;
  bytes = source.rest();
  return body;
}

/// The counterpart of append_body() for heads, without a detour either.
template <>
std::optional<message_head> take_body<message_head>(std::string_view& bytes);

/// @returns the `T` that `bytes` are, nothing if they are anything else
template <class T>
std::optional<T> read_body(std::string_view bytes) {
  auto body = take_body<T>(bytes);
  return bytes.empty() ? std::move(body) : std::nullopt;
}

} // namespace caf_app
