#include "caf_app/cluster/link_body.hpp"

namespace caf_app {

std::string to_string(refusal why) {
  switch (why) {
    case refusal::none: return "not refused";
    case refusal::protocol_error: return "protocol error";
    case refusal::version: return "no common protocol version";
    case refusal::cluster_name: return "the peer belongs to another cluster";
    case refusal::types: return "the peer knows other message types";
    case refusal::authentication: return "authentication failed";
    case refusal::name_in_use: return "a living node has that name";
    case refusal::node_id_in_use: return "the peer has a node id that is in use";
    case refusal::wrong_peer: return "the peer is not the node that was dialled";
    case refusal::wrong_direction: return "the other side has to dial";
    case refusal::declared_down: return "that incarnation was declared down";
    case refusal::duplicate: return "there is a link to that node already";
    case refusal::timeout: return "the handshake took too long";
    case refusal::leaving: return "the node is leaving the cluster";
  }
  return "refused for an unknown reason";
}

} // namespace caf_app
