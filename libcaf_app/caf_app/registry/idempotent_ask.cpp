#include "caf_app/registry/idempotent_ask.hpp"

namespace caf_app::detail {

bool worth_repeating(const caf::error& why) {
  switch (code_of(why)) {
    case errc::noproc:
    case errc::target_failed:
    case errc::link_lost:
    case errc::node_left:
    case errc::peer_congested:
    case errc::draining:
    case errc::busy: return true;
    default: return false;
  }
}

request_key new_request_key(const caf::local_actor& self, uint64_t number) {
  const auto node = std::hash<std::string>{}(caf::to_string(self.node()));
  return {node ^ (self.id() * 0x9e3779b97f4a7c15), number, 0};
}

} // namespace caf_app::detail
