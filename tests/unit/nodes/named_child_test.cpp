#define CAF_SUITE named_child
#include "nodes/named_child.hpp"

#include "support/supervisor_fixture.hpp"

using namespace caf_app;
using namespace std::chrono_literals;

namespace {

caf::behavior idle_actor(app_actor*) {
  return {[](caf::ok_atom) {}};
}

struct fixture : supervisor_fixture {
  child_spec spec(const std::string& id) {
    return named_child(names, id,
                       [](caf::actor_system& system) { return system.spawn(idle_actor); });
  }

  std::shared_ptr<registry> names = registry::make();
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(named_child_tests, fixture)

  CAF_TEST(a child holds its id as its name) {
    auto with = options();
    with.children = {spec("it")};
    start(std::move(with));
    const auto held = names->where_is("it");
    CAF_REQUIRE(held);
    CAF_CHECK_EQUAL(held->id(), entry("root/it").actor_id);
  }

  CAF_TEST(a restarted child holds its name again) {
    auto with = options();
    with.children = {spec("it")};
    start(std::move(with));
    const auto first = names->where_is("it");
    end(first, caf::exit_reason::kill);
    pass(10ms);
    const auto second = names->where_is("it");
    CAF_REQUIRE(second);
    CAF_CHECK(second->id() != first->id());
  }

  CAF_TEST(a name that somebody else holds is a failed start) {
    const auto other = sys.spawn(idle_actor);
    CAF_REQUIRE(names->register_name("it", other));
    auto with = options();
    with.children = {spec("it")};
    with.restart.intensity = 0;
    start(std::move(with));
    pass(10ms);
    CAF_CHECK(!is_alive(root));
    CAF_CHECK_EQUAL(names->where_is("it")->id(), other->id());
    end(other, caf::exit_reason::kill);
  }

  CAF_TEST_FIXTURE_SCOPE_END()
