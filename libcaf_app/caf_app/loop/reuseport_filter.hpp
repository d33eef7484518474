// Classic BPF programs that choose among the listening sockets of one address (SO_REUSEPORT), and
// what has to be known to write one. Pure.
#pragma once

#include <linux/filter.h>

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "caf_app/loop/socket_address.hpp"

namespace caf_app {

/// All new connections go to the socket with this index. Sockets are numbered as they were bound;
/// one that closes leaves its number to the last one. An index that nobody has leaves the choice to
/// the kernel.
std::vector<sock_filter> return_index(unsigned index);

/// Each new connection goes to one of `indices`, drawn uniformly.
/// @param indices not empty
std::vector<sock_filter> draw_among(std::span<const unsigned> indices);

/// The numbers below `count` that are not in `own`.
std::vector<unsigned> other_indices(size_t count, std::span<const unsigned> own);

/// @param table content of /proc/net/tcp, or tcp6 for an IPv6 address
/// @returns how many sockets listen at exactly `address`
size_t count_listeners(std::string_view table, const socket_address& address);

} // namespace caf_app
