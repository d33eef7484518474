#define CAF_SUITE actor_directory
#include "caf_app/cluster/actor_directory.hpp"

#include "support/actor_fixture.hpp"

using caf_app::actor_directory;

namespace {

caf::behavior idle(caf::event_based_actor*) {
  return {[](int) {}};
}

struct fixture : actor_fixture {
  actor_directory testee{sys};

  caf::strong_actor_ptr spawn_idle() {
    return caf::actor_cast<caf::strong_actor_ptr>(sys.spawn(idle));
  }
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(actor_directory_tests, fixture)

  CAF_TEST(an actor is found once it was exposed) {
    const auto actor = spawn_idle();
    CAF_CHECK(!testee.find(actor->id()));
    testee.expose(actor);
    testee.expose(actor);
    CAF_CHECK(testee.find(actor->id()) == actor);
    CAF_CHECK_EQUAL(testee.size(), 1u);
  }

  CAF_TEST(an actor that was serialized is found without that) {
    const auto actor = spawn_idle();
    sys.registry().put(actor->id(), actor);
    CAF_CHECK(testee.find(actor->id()) == actor);
    end(caf::actor_cast<caf::actor>(actor), caf::exit_reason::user_shutdown);
  }

  CAF_TEST(the table keeps nobody alive and forgets the dead) {
    for (int i = 0; i < 20'000; ++i) {
      testee.expose(spawn_idle()); // ends with its last handle, once it has begun
      if (i % 100 == 0)
        consume_messages();
    }
    CAF_CHECK(testee.size() < 5000);
  }

  CAF_TEST_FIXTURE_SCOPE_END()
