// What the registry of a node needs from the cluster, if there is one: names and groups that all
// nodes share. The cluster, in turn, tells the registry with its cluster_ functions what it finds
// out. All calls from any thread; none blocks.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include <caf/actor_control_block.hpp>
#include <caf/error.hpp>
#include <caf/message.hpp>

namespace caf_app {

/// What becomes of a claim that is refused, or of a cluster name that is lost.
enum class claim_mode : uint8_t {
  once,    ///< it ends
  standby, ///< it is repeated whenever the name is free, until its holder ends
};

/// Hears the answer to a claim: no error, or why not. With standby only errors that repeating
/// cannot mend count as an answer. On any thread; must not block.
using claim_result = std::function<void(const caf::error&)>;

/// The cluster as a registry sees it.
class cluster_port {
public:
  virtual ~cluster_port() = default;

  /// `holder`, an actor of this node, wants `name`.
  virtual void claim(const std::string& name, const caf::strong_actor_ptr& holder, claim_mode mode,
                     claim_result done) = 0;

  /// The actor wants or holds the name no more.
  virtual void release(const std::string& name, caf::actor_id holder) = 0;

  /// A member of this node has joined, or left: for the other nodes to know.
  virtual void joined(const std::string& group, const caf::strong_actor_ptr& member) = 0;
  virtual void left(const std::string& group, caf::actor_id member) = 0;

  /// @returns how many other nodes have members and got the message
  virtual size_t publish(const std::string& group, const caf::message& content) = 0;
};

} // namespace caf_app
