#include "caf_app/cluster/quorum_lease.hpp"

#include <algorithm>
#include <set>

namespace caf_app {

void quorum_lease::sent(uint64_t sequence, clock::time_point now) {
  sent_.emplace(sequence, now);
  while (now - sent_.begin()->second > opts_.lease)
    sent_.erase(sent_.begin());
}

void quorum_lease::acknowledged(const member_id& peer, uint64_t sequence,
                                const member_id& supports) {
  const auto i = sent_.find(sequence);
  if (i == sent_.end())
    return; // too old to count
  auto& held = granted_[peer];
  held.from = std::max(held.from, i->second);
  held.supports = supports;
}

template <class Predicate>
size_t quorum_lease::count(clock::time_point now, Predicate counts) const {
  std::set<std::string> names;
  for (const auto& [peer, held] : granted_)
    if (now - held.from <= opts_.lease && is_voter(peer.name) && counts(held))
      names.insert(peer.name);
  return names.size();
}

bool quorum_lease::quorate(clock::time_point now) const {
  if (opts_.mode == quorum_mode::none)
    return true;
  const auto others = count(now, [](const grant&) { return true; });
  return others + (is_voter(opts_.own.name) ? 1 : 0) >= majority();
}

bool quorum_lease::supported(clock::time_point now, bool own_support) const {
  if (opts_.mode == quorum_mode::none)
    return own_support;
  const auto others = count(now, [&](const grant& g) { return g.supports == opts_.own; });
  return others + (own_support && is_voter(opts_.own.name) ? 1 : 0) >= majority();
}

bool quorum_lease::heard_by(const member_id& peer, clock::time_point now) const {
  const auto i = granted_.find(peer);
  return i != granted_.end() && now - i->second.from <= opts_.lease;
}

bool quorum_lease::is_voter(const std::string& name) const {
  return std::find(opts_.voters.begin(), opts_.voters.end(), name) != opts_.voters.end();
}

} // namespace caf_app
