#define CAF_SUITE name_table
#include "caf_app/registry/name_table.hpp"

#include <map>
#include <random>

#include "support/actor_fixture.hpp"
#include "support/seed.hpp"

using caf_app::name_layer;
using caf_app::name_table;
using caf_app::why_invalid_name;

namespace {

caf::behavior idle(caf::event_based_actor*) {
  return {[](caf::tick_atom) {}};
}

struct fixture : actor_fixture {
  caf::strong_actor_ptr actor() { return caf::actor_cast<caf::strong_actor_ptr>(sys.spawn(idle)); }

  name_table testee;
  name_table::time_point now{};
};

} // namespace

CAF_TEST(a name has 1 to 255 printable bytes without blank and slash) {
  CAF_CHECK(!why_invalid_name("").empty());
  CAF_CHECK(why_invalid_name("a").empty());
  CAF_CHECK(why_invalid_name(std::string(254, 'x')).empty());
  CAF_CHECK(why_invalid_name(std::string(255, 'x')).empty());
  CAF_CHECK(!why_invalid_name(std::string(256, 'x')).empty());
  for (int c = 0; c < 256; ++c) {
    const bool fine = c > ' ' && c < 127 && c != '/';
    CAF_CHECK_EQUAL(why_invalid_name(std::string{"a"} + static_cast<char>(c)).empty(), fine);
  }
}

CAF_TEST_FIXTURE_SCOPE(name_table_tests, fixture)

  CAF_TEST(a name has one holder) {
    const auto x = actor(), y = actor();
    CAF_CHECK(testee.insert("a", x, now));
    CAF_CHECK(!testee.insert("a", y, now));
    CAF_CHECK_EQUAL(testee.find("a"), x);
    CAF_CHECK_EQUAL(testee.find("b"), nullptr);
    CAF_CHECK_EQUAL(testee.erase("a", name_layer::node), x);
    CAF_CHECK_EQUAL(testee.erase("a", name_layer::node), nullptr);
    CAF_CHECK(testee.insert("a", y, now));
    CAF_CHECK_EQUAL(testee.find("a"), y);
  }

  CAF_TEST(a list is sorted and has the names with the prefix) {
    const auto x = actor();
    for (const char* name : {"b1", "a2", "b0", "c"})
      testee.insert(name, x, now);
    std::vector<std::string> names;
    for (const auto& entry : testee.list("b", name_layer::node))
      names.push_back(entry.name);
    CAF_CHECK_EQUAL(names, (std::vector<std::string>{"b0", "b1"}));
    CAF_CHECK_EQUAL(testee.list("", name_layer::node).size(), 4u);
  }

  CAF_TEST(a holder for this node hides one for the cluster) {
    const auto x = actor(), y = actor(), z = actor();
    CAF_CHECK_EQUAL(testee.replace("a", x), nullptr);
    CAF_CHECK_EQUAL(testee.find("a"), x);
    CAF_CHECK_EQUAL(testee.find("a", name_layer::node), nullptr);
    CAF_CHECK(testee.insert("a", y, now));
    CAF_CHECK_EQUAL(testee.find("a"), y);
    CAF_CHECK_EQUAL(testee.find("a", name_layer::cluster), x);
    CAF_CHECK_EQUAL(testee.replace("a", z), x);
    CAF_CHECK_EQUAL(testee.list("", name_layer::node).size(), 1u);
    CAF_CHECK_EQUAL(testee.list("", name_layer::cluster).size(), 1u);
    CAF_CHECK_EQUAL(testee.erase("a", name_layer::node), y);
    CAF_CHECK_EQUAL(testee.find("a"), z);
    CAF_CHECK_EQUAL(testee.erase("a", name_layer::cluster), z);
    CAF_CHECK_EQUAL(testee.find("a"), nullptr);
  }

  CAF_TEST(random use agrees with two maps) {
    std::mt19937 random{test_seed()};
    std::vector<caf::strong_actor_ptr> actors{actor(), actor(), actor()};
    std::map<std::string, caf::strong_actor_ptr> own, shared;
    const auto in = [](const auto& model, const std::string& name) -> caf::strong_actor_ptr {
      const auto found = model.find(name);
      return found != model.end() ? found->second : nullptr;
    };
    for (int step = 0; step < 50'000; ++step) {
      const auto name = "name-" + std::to_string(random() % 2000);
      const auto& who = actors[random() % actors.size()];
      const auto layer = random() % 2 ? name_layer::node : name_layer::cluster;
      auto& model = layer == name_layer::node ? own : shared;
      if (random() % 2) {
        const auto expected = in(model, name);
        CAF_REQUIRE_EQUAL(testee.erase(name, layer), expected);
        model.erase(name);
      } else if (layer == name_layer::node) {
        CAF_REQUIRE_EQUAL(testee.insert(name, who, now), own.emplace(name, who).second);
      } else {
        const auto expected = in(shared, name);
        CAF_REQUIRE_EQUAL(testee.replace(name, who), expected);
        shared[name] = who;
      }
      const auto probe = "name-" + std::to_string(random() % 2000);
      const auto mine = in(own, probe), theirs = in(shared, probe);
      CAF_REQUIRE_EQUAL(testee.find(probe), mine ? mine : theirs);
      CAF_REQUIRE_EQUAL(testee.find(probe, name_layer::cluster), theirs);
    }
    CAF_CHECK_EQUAL(testee.list("", name_layer::node).size(), own.size());
    CAF_CHECK_EQUAL(testee.list("", name_layer::cluster).size(), shared.size());
  }

  CAF_TEST_FIXTURE_SCOPE_END()
