// Both sides of cluster names together: name_owner on each node, name_coordinator on one.
#define CAF_SUITE cluster_names
#include "caf_app/cluster/name_coordinator.hpp"
#include "caf_app/cluster/name_owner.hpp"

#include <caf/test/unit_test.hpp>

#include "support/cluster_mesh.hpp"

using namespace caf_app;
using namespace std::chrono_literals;

namespace {

const std::vector<std::string> three{"a", "b", "c"};

struct fixture {
  cluster_mesh mesh{three, quorum_mode::majority};

  fixture() { mesh.run_for(6s); }

  void want(const std::string& node, const std::string& name, uint64_t actor) {
    mesh.core(node).want_name(name, actor, mesh.now());
    mesh.settle();
    mesh.run_for(300ms);
  }

  /// Who holds `name` as `node` knows: the node's name, or "nobody".
  std::string holder(const std::string& node, const std::string& name) {
    const auto* entry = mesh.core(node).names().find(name);
    return entry == nullptr ? "nobody" : entry->holder.name;
  }

  const name_outcome& last(const std::string& node) {
    CAF_REQUIRE(!mesh.at(node).outcomes.empty());
    return mesh.at(node).outcomes.back();
  }
};

using kind = name_outcome::kind;

} // namespace

CAF_TEST_FIXTURE_SCOPE(cluster_names_tests, fixture)

  CAF_TEST(a granted name is known everywhere) {
    want("b", "x", 7);
    CAF_CHECK(last("b").what == kind::granted);
    for (const auto& name : three)
      CAF_CHECK_EQUAL(holder(name, "x"), "b");
    CAF_CHECK_EQUAL(mesh.core("c").names().find("x")->actor, 7u);
    CAF_CHECK(mesh.core("b").names().holds("x"));
  }

  CAF_TEST(the coordinator itself holds names) {
    want("a", "x", 1);
    CAF_CHECK(last("a").what == kind::granted);
    CAF_CHECK_EQUAL(holder("c", "x"), "a");
  }

  CAF_TEST(a taken name is refused with the holder) {
    want("b", "x", 7);
    want("c", "x", 8);
    CAF_CHECK(last("c").what == kind::refused);
    CAF_CHECK(last("c").why == errc::name_taken);
    CAF_CHECK_EQUAL(last("c").winner.name, "b");
    want("b", "x", 9);
    CAF_CHECK(last("b").what == kind::refused);
    CAF_CHECK_EQUAL(holder("a", "x"), "b");
  }

CAF_TEST(a released name is free for others with a higher epoch) {
  want("b", "x", 7);
  const auto epoch = mesh.core("a").names().find("x")->epoch;
  mesh.core("b").release_name("x", 7, mesh.now());
  mesh.settle();
  for (const auto& name : three)
    CAF_CHECK_EQUAL(holder(name, "x"), "nobody");
  want("c", "x", 8);
  CAF_CHECK(last("c").what == kind::granted);
  CAF_CHECK(mesh.core("a").names().find("x")->epoch > epoch);
}

CAF_TEST(a name that is released and wanted again in one breath is granted anew) {
  want("b", "x", 7);
  mesh.core("b").release_name("x", 7, mesh.now());
  mesh.core("b").want_name("x", 7, mesh.now());
  mesh.settle();
  mesh.run_for(300ms);
  CAF_CHECK(last("b").what == kind::granted);
  CAF_CHECK_EQUAL(holder("c", "x"), "b");
  CAF_CHECK_EQUAL(mesh.core("b").names().find("x")->epoch, mesh.core("c").names().find("x")->epoch);
}

CAF_TEST(names of a dead node go at once and can be granted after a lease) {
  want("c", "x", 7);
  mesh.kill("c");
  mesh.run_for(3s);
  CAF_CHECK_EQUAL(holder("a", "x"), "nobody");
  CAF_CHECK_EQUAL(holder("b", "x"), "nobody");
  want("b", "x", 8);
  mesh.run_for(3s);
  CAF_CHECK(last("b").what == kind::granted);
}

CAF_TEST(a new coordinator knows all names before it grants one) {
  want("b", "x", 7);
  want("c", "y", 8);
  mesh.kill("a");
  mesh.core("c").want_name("x", 9, mesh.now());
  mesh.run_for(10s);
  CAF_CHECK(mesh.core("b").coordinator().granting());
  CAF_CHECK(last("c").what == kind::refused);
  CAF_CHECK_EQUAL(holder("c", "x"), "b");
  CAF_CHECK_EQUAL(holder("b", "y"), "c");
}

CAF_TEST(without quorum names are given up after a while and refused) {
  want("c", "x", 7);
  mesh.unlink("a", "c");
  mesh.unlink("b", "c");
  mesh.run_for(4s);
  CAF_CHECK(mesh.core("c").names().holds("x"));
  mesh.run_for(4s);
  CAF_CHECK(!mesh.core("c").names().holds("x"));
  CAF_CHECK(last("c").what == kind::lost);
  CAF_CHECK(last("c").why == errc::no_quorum);
  want("c", "y", 8);
  CAF_CHECK(last("c").what == kind::refused);
  CAF_CHECK(last("c").why == errc::no_quorum);
}

CAF_TEST(a restarted node gets all names) {
  want("b", "x", 7);
  mesh.kill("c");
  mesh.run_for(4s);
  mesh.start("c");
  mesh.run_for(4s);
  CAF_CHECK_EQUAL(holder("c", "x"), "b");
}

CAF_TEST(an announced leave frees names at once) {
  want("c", "x", 7);
  mesh.core("c").leave(mesh.now());
  mesh.settle();
  CAF_CHECK_EQUAL(holder("b", "x"), "nobody");
  want("b", "x", 8);
  CAF_CHECK(last("b").what == kind::granted);
}

CAF_TEST(names of a coordinator that leaves are granted again within a second) {
  CAF_REQUIRE(mesh.core("a").coordinator().granting());
  want("a", "x", 7);
  want("b", "y", 9);
  mesh.core("a").leave(mesh.now()); // its work may take a while before it is gone
  mesh.settle();
  mesh.core("c").want_name("x", 8, mesh.now());
  mesh.run_for(1s);
  CAF_CHECK(last("c").what == kind::granted);
  CAF_CHECK_EQUAL(holder("b", "x"), "c");
  CAF_CHECK_EQUAL(holder("c", "y"), "b");
  CAF_CHECK(!mesh.core("a").names().holds("x"));
}

CAF_TEST(one coordinator after the other leaves and names follow) {
  want("c", "z", 3);
  mesh.core("a").leave(mesh.now());
  mesh.core("a").left(mesh.now());
  mesh.settle();
  mesh.kill("a");
  mesh.start("a");
  mesh.run_for(4s);
  want("b", "x", 7);
  CAF_REQUIRE(mesh.core("b").coordinator().granting());
  mesh.core("b").leave(mesh.now());
  mesh.settle();
  mesh.core("a").want_name("x", 8, mesh.now());
  mesh.run_for(1s);
  CAF_CHECK(last("a").what == kind::granted);
  CAF_CHECK_EQUAL(holder("a", "z"), "c");
}

CAF_TEST(names claimed before the cluster exists are granted when it does) {
  cluster_mesh young{three, quorum_mode::majority};
  young.core("c").want_name("x", 7, young.now());
  young.run_for(4s);
  CAF_REQUIRE(!young.at("c").outcomes.empty());
  CAF_CHECK(young.at("c").outcomes.back().what == kind::granted);
}

CAF_TEST(after a split without quorum the higher epoch wins and the other is told) {
  cluster_mesh two{{"a", "b"}, quorum_mode::none};
  two.run_for(3s);
  two.unlink("a", "b");
  two.run_for(5s);
  two.core("a").want_name("x", 1, two.now());
  two.core("b").want_name("y", 2, two.now());
  two.run_for(500ms);
  two.core("b").want_name("x", 3, two.now());
  two.run_for(500ms);
  CAF_CHECK(two.core("a").names().holds("x"));
  CAF_CHECK(two.core("b").names().holds("x"));
  two.link("a", "b");
  two.run_for(2s);
  CAF_CHECK(!two.core("a").names().holds("x"));
  CAF_CHECK(two.core("b").names().holds("x"));
  CAF_CHECK(two.at("a").outcomes.back().what == kind::lost);
  CAF_CHECK_EQUAL(two.at("a").outcomes.back().winner.name, "b");
  CAF_CHECK_EQUAL(two.core("a").names().find("x")->actor, 3u);
}

CAF_TEST_FIXTURE_SCOPE_END()

CAF_TEST(who is linked to the next life of a node finds no name of the former) {
  for (const auto mode : {quorum_mode::majority, quorum_mode::none})
    for (const auto* restarted : {"a", "b"}) {
      cluster_mesh mesh{three, mode};
      mesh.run_for(6s);
      const auto former = mesh.at(restarted).record.id;
      mesh.core(restarted).want_name("x", 7, mesh.now());
      mesh.run_for(300ms);
      mesh.kill(restarted);
      mesh.run_for(100ms);
      mesh.start(restarted, {});
      const std::string others[] = {restarted == std::string{"a"} ? "b" : "a", "c"};
      for (const auto& other : others)
        mesh.freeze(other);
      mesh.run_for(300ms); // time to count itself in where that needs nobody else
      for (const auto& other : others)
        mesh.thaw(other);
      for (const auto& other : others)
        mesh.link(restarted, other);
      for (int i = 0; i < 50; ++i) {
        for (const auto& other : others) {
          const auto& core = mesh.core(other);
          const auto* life = core.members().table().find(mesh.at(restarted).record.id);
          const auto* entry = core.names().find("x");
          if (life != nullptr && life->state == member_state::up)
            CAF_CHECK(entry == nullptr || entry->holder != former);
        }
        mesh.run_for(100ms);
      }
      CAF_CHECK(mesh.saw("c", restarted, member_change::up));
    }
}

CAF_TEST(without quorum names of a holder are back when it is within reach again) {
  cluster_mesh mesh{three, quorum_mode::none};
  mesh.run_for(6s);
  mesh.core("c").want_name("x", 7, mesh.now());
  mesh.run_for(300ms);
  CAF_CHECK(mesh.core("b").names().find("x") != nullptr);
  mesh.unlink("b", "c");
  mesh.run_for(6s);
  CAF_CHECK(mesh.core("b").names().find("x") == nullptr);
  CAF_CHECK(mesh.core("a").names().find("x") != nullptr);
  mesh.link("b", "c");
  mesh.run_for(300ms);
  CAF_CHECK(mesh.core("b").names().find("x") != nullptr);
}
