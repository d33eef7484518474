#define CAF_SUITE membership
#include "caf_app/cluster/membership.hpp"

#include <caf/test/unit_test.hpp>

#include "caf_app/cluster/body_codec.hpp"
#include "support/cluster_mesh.hpp"

using namespace caf_app;
using namespace std::chrono_literals;

namespace {

/// The name of the one active coordinator, "none", or "several".
std::string coordinator(cluster_mesh& mesh, const std::vector<std::string>& names) {
  std::string found = "none";
  for (const auto& name : names)
    if (mesh.at(name).runs && mesh.core(name).members().active(mesh.now()))
      found = found == "none" ? name : "several";
  return found;
}

member_state state_of(cluster_mesh& mesh, const std::string& seen_by, const member_id& who) {
  const auto* record = mesh.core(seen_by).members().table().find(who);
  return record == nullptr ? member_state{} : record->state;
}

const std::vector<std::string> three{"a", "b", "c"};

} // namespace

CAF_TEST(three nodes agree on members and on one coordinator) {
  cluster_mesh mesh{three, quorum_mode::majority};
  mesh.run_for(5s);
  CAF_CHECK_EQUAL(coordinator(mesh, three), "a");
  for (const auto& name : three) {
    CAF_CHECK_EQUAL(mesh.core(name).members().table().digest(),
                    mesh.core("a").members().table().digest());
    CAF_CHECK_EQUAL(mesh.core(name).members().table().up_by_age().size(), 3u);
    CAF_CHECK(mesh.core(name).members().quorate(mesh.now()));
  }
}

CAF_TEST(one node of three waits and without quorum it begins) {
  for (const auto mode : {quorum_mode::majority, quorum_mode::none}) {
    cluster_mesh mesh{three, mode};
    for (const auto* name : {"b", "c"})
      mesh.kill(name);
    mesh.run_for(20s);
    CAF_CHECK_EQUAL(coordinator(mesh, three), mode == quorum_mode::none ? "a" : "none");
  }
}

CAF_TEST(a killed node is down within three seconds) {
  cluster_mesh mesh{three, quorum_mode::majority};
  mesh.run_for(5s);
  const auto dead = mesh.at("c").record.id;
  mesh.kill("c");
  CAF_CHECK(mesh.saw("a", "c", member_change::suspect));
  mesh.run_for(1900ms);
  CAF_CHECK(!mesh.saw("a", "c", member_change::lost));
  mesh.run_for(1100ms);
  CAF_CHECK(mesh.saw("a", "c", member_change::lost));
  CAF_CHECK(mesh.saw("b", "c", member_change::down));
  CAF_CHECK(state_of(mesh, "b", dead) == member_state::down);
}

CAF_TEST(a frozen node is down within six seconds and is told when it wakes) {
  cluster_mesh mesh{three, quorum_mode::majority};
  mesh.run_for(5s);
  mesh.freeze("b");
  mesh.run_for(3s);
  CAF_CHECK(!mesh.saw("a", "b", member_change::lost));
  mesh.run_for(3s);
  CAF_CHECK(mesh.saw("a", "b", member_change::down));
  mesh.thaw("b");
  mesh.run_for(100ms);
  CAF_CHECK(!mesh.core("b").members().quorate(mesh.now()));
  CAF_CHECK_EQUAL(mesh.core("a").admit(mesh.at("b").record.id, mesh.now()).why,
                  refusal::declared_down);
  mesh.core("b").told_down(mesh.now());
  CAF_CHECK(mesh.core("b").members().ended());
}

CAF_TEST(the next oldest follows a dead coordinator) {
  cluster_mesh mesh{three, quorum_mode::majority};
  mesh.run_for(5s);
  mesh.kill("a");
  mesh.run_for(7s);
  CAF_CHECK_EQUAL(coordinator(mesh, three), "b");
  mesh.start("a");
  mesh.run_for(5s);
  CAF_CHECK_EQUAL(coordinator(mesh, three), "b"); // age counts, not the name
  CAF_CHECK_EQUAL(mesh.core("c").members().table().up_by_age().back()->id.name, "a");
}

CAF_TEST(the side without a majority declares nobody down) {
  const std::vector<std::string> five{"a", "b", "c", "d", "e"};
  cluster_mesh mesh{five, quorum_mode::majority};
  mesh.run_for(5s);
  for (const auto* x : {"a", "b"})
    for (const auto* y : {"c", "d", "e"})
      mesh.unlink(x, y);
  mesh.run_for(10s);
  CAF_CHECK_EQUAL(coordinator(mesh, {"a", "b"}), "none");
  CAF_CHECK_EQUAL(coordinator(mesh, {"c", "d", "e"}), "c");
  CAF_CHECK(!mesh.core("a").members().quorate(mesh.now()));
  CAF_CHECK(mesh.saw("a", "c", member_change::lost));
  CAF_CHECK(!mesh.saw("a", "c", member_change::down));
  CAF_CHECK(mesh.saw("d", "a", member_change::down));
}

CAF_TEST(a link that is replaced within the grace loses nobody) {
  cluster_mesh mesh{three, quorum_mode::majority};
  mesh.run_for(5s);
  mesh.unlink("a", "b");
  mesh.run_for(1500ms);
  mesh.link("a", "b");
  mesh.run_for(5s);
  CAF_CHECK(!mesh.saw("a", "b", member_change::lost));
  CAF_CHECK(!mesh.saw("b", "a", member_change::lost));
  CAF_CHECK_EQUAL(coordinator(mesh, three), "a");
}

CAF_TEST(others hear of a newcomer before its link has done anything else) {
  cluster_mesh mesh{{"a", "b"}, quorum_mode::none};
  mesh.run_for(1s);
  member_record newcomer;
  newcomer.id = {"b.1", {9, 9}};
  newcomer.address = "b:2";
  mesh.core("b").link_up(newcomer, mesh.now());
  const auto frames = mesh.core("b").take_effects().frames;
  CAF_CHECK(std::any_of(frames.begin(), frames.end(), [](const cluster_frame& x) {
    return x.to.name == "a" && x.kind == frame_kind::gossip;
  }));
}

CAF_TEST(an announced leave is no death) {
  cluster_mesh mesh{three, quorum_mode::majority};
  mesh.run_for(5s);
  mesh.core("a").leave(mesh.now());
  mesh.settle();
  mesh.core("a").left(mesh.now());
  mesh.settle();
  mesh.kill("a");
  mesh.run_for(5s);
  CAF_CHECK(mesh.saw("b", "a", member_change::left));
  CAF_CHECK(!mesh.saw("b", "a", member_change::down));
  CAF_CHECK(!mesh.saw("a", "a", member_change::declared_down));
  CAF_CHECK_EQUAL(coordinator(mesh, three), "b");
}

CAF_TEST(a second process with the name of a living node is refused) {
  cluster_mesh mesh{three, quorum_mode::majority};
  mesh.run_for(5s);
  const member_id second{"b", {99, 99}};
  CAF_CHECK_EQUAL(mesh.core("a").admit(second, mesh.now()).why, refusal::name_in_use);
  mesh.kill("b");
  CAF_CHECK_EQUAL(mesh.core("a").admit(second, mesh.now()).why, refusal::none);
}

CAF_TEST(a restarted node takes the place of its former life) {
  for (const auto mode : {quorum_mode::majority, quorum_mode::none}) {
    cluster_mesh mesh{three, mode};
    mesh.run_for(5s);
    const auto former = mesh.at("c").record.id;
    mesh.kill("c");
    mesh.run_for(300ms);
    mesh.start("c");
    mesh.run_for(5s);
    CAF_CHECK(state_of(mesh, "b", former) == member_state::down);
    CAF_CHECK(state_of(mesh, "b", mesh.at("c").record.id) == member_state::up);
  }
}

CAF_TEST(a life that a cut off node has missed to end does not come back with that node) {
  cluster_mesh mesh{three, quorum_mode::none};
  mesh.run_for(5s);
  const auto old = mesh.at("b").record.id;
  mesh.core("b").want_name("x", 7, mesh.now());
  mesh.run_for(1s);
  mesh.unlink("a", "c");
  mesh.unlink("b", "c");
  for (size_t i = 0; i <= limits::cluster::dead_incarnations_kept; ++i) {
    mesh.kill("b");
    mesh.run_for(1s);
    mesh.start("b", {"a"});
    mesh.run_for(4s);
  }
  CAF_CHECK(state_of(mesh, "a", old) == member_state{}); // forgotten
  CAF_CHECK(state_of(mesh, "c", old) == member_state::up);
  mesh.link("a", "c");
  mesh.link("b", "c");
  mesh.run_for(15s);
  for (const auto& name : three)
    mesh.at(name).events.clear();
  mesh.run_for(15s);
  for (const auto& name : three) {
    CAF_CHECK(state_of(mesh, name, old) != member_state::up);
    CAF_CHECK(mesh.at(name).events.empty());
    CAF_CHECK_EQUAL(mesh.core(name).members().table().digest(),
                    mesh.core("a").members().table().digest());
  }
  CAF_CHECK(mesh.core("c").names().find("x") == nullptr);
}

CAF_TEST(a life that is told of its end when all have forgotten it ends) {
  cluster_mesh mesh{{"a"}, quorum_mode::none};
  mesh.run_for(1s);
  const auto own = mesh.at("a").record.id;
  gossip_body dead;
  auto life = mesh.at("a").record;
  life.state = member_state::down;
  for (uint64_t i = 0; i < limits::cluster::dead_incarnations_kept; ++i) {
    life.id.life = {100 + i, 1};
    life.order = 100 + i;
    dead.members.push_back(life);
  }
  life.id = own;
  life.order = 1;
  dead.members.push_back(life);
  mesh.core("a").on_frame({"b", {50, 50}}, frame_kind::gossip, body_bytes(dead), mesh.now());
  mesh.settle();
  CAF_CHECK(mesh.saw("a", "a", member_change::declared_down));
  CAF_CHECK(state_of(mesh, "a", own) == member_state{});
  mesh.core("a").leave(mesh.now());
  mesh.core("a").left(mesh.now());
  mesh.run_for(1s);
  CAF_CHECK(mesh.core("a").members().ended());
}

CAF_TEST(a life that ends before it was up stays dead however many have ended before it) {
  cluster_mesh mesh{three, quorum_mode::majority};
  mesh.run_for(5s);
  for (size_t i = 0; i < limits::cluster::dead_incarnations_kept; ++i) {
    mesh.kill("c");
    mesh.run_for(3s);
    mesh.start("c");
    mesh.run_for(3s);
  }
  mesh.kill("c");
  mesh.start("c");
  const auto early = mesh.at("c").record.id;
  mesh.kill("c");
  mesh.run_for(10s);
  for (const auto* name : {"a", "b"}) {
    CAF_CHECK(state_of(mesh, name, early) == member_state::down);
    CAF_CHECK(mesh.core(name).members().table().living("c") == nullptr);
  }
  CAF_CHECK_EQUAL(mesh.core("a").members().table().digest(),
                  mesh.core("b").members().table().digest());
}

CAF_TEST(after a cut the first two that meet give the third time to come back) {
  cluster_mesh mesh{three, quorum_mode::majority};
  mesh.run_for(5s);
  const auto c = mesh.at("c").record.id;
  mesh.unlink("a", "b");
  mesh.unlink("a", "c");
  mesh.unlink("b", "c");
  mesh.run_for(6s);
  CAF_CHECK(mesh.core("a").members().lost(c));
  mesh.link("a", "b");
  mesh.run_for(5s);
  mesh.link("a", "c");
  mesh.link("b", "c");
  mesh.run_for(3s);
  for (const auto& name : three)
    CAF_CHECK(state_of(mesh, name, c) == member_state::up);
  mesh.kill("c"); // this time it is dead
  mesh.run_for(3s);
  CAF_CHECK(state_of(mesh, "a", c) == member_state::down);
}

CAF_TEST(without quorum two sides go on and merge) {
  cluster_mesh mesh{{"a", "b"}, quorum_mode::none};
  mesh.run_for(3s);
  CAF_CHECK_EQUAL(coordinator(mesh, {"a", "b"}), "a");
  mesh.unlink("a", "b");
  mesh.run_for(10s);
  CAF_CHECK_EQUAL(coordinator(mesh, {"a", "b"}), "several");
  mesh.link("a", "b");
  mesh.run_for(3s);
  CAF_CHECK_EQUAL(coordinator(mesh, {"a", "b"}), "a");
  CAF_CHECK(mesh.saw("a", "b", member_change::lost));
  CAF_CHECK(!mesh.core("a").members().ended());
  CAF_CHECK(!mesh.core("b").members().ended());
}
