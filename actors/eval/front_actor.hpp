// The evaluator's API on a node: checks requests, finds out what they mean, sends them to a
// dispatcher. Holds the name `eval`. HTTP routes, caf-ctl (JSON face), JSON lines and C++ clients
// all come through here.
//
// It knows the dispatchers of all eval nodes by their names. With one node everything is delegated
// to it; with several, a call goes where its key says and moves on if that node had not begun:
//
//   placed -> asked --eval_started--> runs there: if the node is lost now, the answer is 502
//               |`- 503, or the node is lost before: the next node in the order
//               `- any other reply: the answer
//
// There are two on a node: one on the loop, which passes large requests on to one on the scheduler,
// so that looking through 64 MiB holds no loop.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "actors/eval/api_route.hpp"
#include "actors/eval/evaluator_base.hpp"
#include "caf_app/messages/json.hpp"
#include "caf_app/messages/registry.hpp"
#include "caf_app/registry/loop_app_actor.hpp"

namespace caf_app::eval {

/// Answers eval_request and, for whoever has checked it already, eval_call; both with eval_reply.
/// Takes eval_cancel.
class front_actor final : public loop_app_actor {
public:
  /// @param loop null: it runs on the scheduler, and takes large requests
  front_actor(caf::actor_config& cfg, event_loop* loop, evaluator_options_ptr options);

  const char* name() const override { return "eval.front"; }

protected:
  caf::behavior make_behavior() override;

private:
  using reply_promise = caf::typed_response_promise<eval_reply>;

  struct eval_peer {
    caf::actor dispatcher;
    size_t calls = 0; // of this front, under way
  };

  /// A call that may be tried on several nodes.
  struct attempt {
    std::shared_ptr<const eval_call> call;
    reply_promise promise;
    time_point deadline;
    std::vector<std::string> order;
    size_t next = 0;     // in the order
    std::string current; // the node that is asked
    bool started = false;
    eval_reply last; // a refusal
  };

  /// An operation that all nodes are asked for.
  struct gathering {
    std::string operation;
    size_t waiting = 0;
    std::vector<eval_reply> replies;
    reply_promise promise;
  };

  caf::result<eval_reply> on_request(eval_request& request);
  caf::result<eval_reply> on_build_request(const api_route& where, eval_request& request,
                                           const visitor& who, std::chrono::milliseconds time);
  caf::result<eval_reply> on_call_request(const api_route& where, eval_request& request,
                                          const visitor& who, std::chrono::milliseconds time);
  caf::result<json_reply> on_json(const json_request& request);
  caf::result<eval_reply> send_call(eval_call call);
  eval_reply health() const;

  void on_name(const name_event& event);
  void find_own_node();
  void forget_node(const std::string& node);
  void on_cancel(uint64_t id);
  caf::actor only_dispatcher() const;
  std::vector<std::string> order_for(const std::string& key) const;
  caf::result<eval_reply> place_call(eval_call& call);
  caf::result<eval_reply> place_post(eval_build_request& request);
  caf::result<eval_reply> place_query(eval_build_request& request);
  void try_next(uint64_t id);
  void on_answer(uint64_t id, size_t turn, eval_reply& reply);
  void on_lost(uint64_t id, size_t turn, const caf::error& why);
  attempt* find_turn(uint64_t id, size_t turn);
  void one_less(const std::string& name);
  void finish(uint64_t id, eval_reply reply);
  void gathered(gathering& all);

  evaluator_options_ptr options_;
  uint64_t first_id_; // this front's requests are told from those of others by it
  uint64_t last_own_id_;
  caf::strong_actor_ptr signer_;           // whose calls have been checked
  std::map<std::string, eval_peer> nodes_; // by name
  std::unordered_map<uint64_t, attempt> attempts_;
};

} // namespace caf_app::eval
