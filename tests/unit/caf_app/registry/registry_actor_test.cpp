#define CAF_SUITE registry_actor
#include "caf_app/registry/registry_actor.hpp"

#include <string>

#include "caf_app/base/error.hpp"
#include "caf_app/messages/json.hpp"
#include "support/actor_fixture.hpp"

using namespace std::chrono_literals;
using namespace caf_app;

namespace {

struct fixture : actor_fixture {
  std::shared_ptr<registry> table = registry::make();
  caf::actor testee = sys.spawn(registry_actor, table);
  caf::actor holder =
      sys.spawn([](app_actor*) -> caf::behavior { return {[](caf::tick_atom) {}}; });
  const std::string id = std::to_string(holder.id());

  fixture() {
    table->register_name("greeter", holder);
    table->join("ticks", holder);
  }

  ~fixture() override { table = nullptr; }

  /// @returns the JSON text of the answer, or the description of the error
  std::string ask(const std::string& method, const std::string& params) {
    std::string result;
    auto handle = self->request(testee, 1s, json_request{method, params});
    consume_messages();
    handle.receive([&](const json_reply& reply) { result = reply.value; },
                   [&](const caf::error& err) { result = to_string(code_of(err)); });
    return result;
  }
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(registry_actor_tests, fixture)

  CAF_TEST(tools get lists as messages) {
    auto handle = self->request(testee, 1s, names_query{"gr"});
    consume_messages();
    handle.receive(
        [&](const name_list& list) {
          CAF_REQUIRE_EQUAL(list.names.size(), 1u);
          CAF_CHECK_EQUAL(list.names[0].name, "greeter");
        },
        [](const caf::error& err) { CAF_FAIL(describe(err)); });
    auto groups = self->request(testee, 1s, groups_query{"x"});
    consume_messages();
    groups.receive([](const group_list& list) { CAF_CHECK(list.groups.empty()); },
                   [](const caf::error& err) { CAF_FAIL(describe(err)); });
  }

  CAF_TEST(tools get lists as JSON) {
    CAF_CHECK_EQUAL(ask("names", "null"),
                    "[{\"name\":\"greeter\",\"holder\":" + id + ",\"held_ms\":0}]");
    CAF_CHECK_EQUAL(ask("names", R"({"prefix":"x"})"), "[]");
    CAF_CHECK_EQUAL(ask("groups", "{}"), "[{\"group\":\"ticks\",\"members\":[" + id + "]}]");
    CAF_CHECK_EQUAL(ask("where_is", R"({"name":"greeter"})"), "{\"holder\":" + id + "}");
  }

  CAF_TEST(bad questions get errors that callers can tell apart) {
    CAF_CHECK_EQUAL(ask("where_is", R"({"name":"nobody"})"), to_string(errc::not_found));
    CAF_CHECK_EQUAL(ask("where_is", "[]"), to_string(errc::not_found));
    CAF_CHECK_EQUAL(ask("names", "{"), to_string(errc::invalid_argument));
    CAF_CHECK_EQUAL(ask("what", "null"), to_string(errc::not_found));
  }

  CAF_TEST(log lines call it by its name) {
    const auto* known =
        dynamic_cast<caf::local_actor*>(caf::actor_cast<caf::abstract_actor*>(testee));
    CAF_REQUIRE(known);
    CAF_CHECK_EQUAL(std::string{known->name()}, "registry");
  }

  CAF_TEST(the table survives the death of its control plane) {
    end(testee, caf::exit_reason::kill);
    CAF_CHECK_EQUAL(table->where_is("greeter"), holder);
    testee = sys.spawn(registry_actor, table);
    CAF_CHECK_EQUAL(ask("where_is", R"({"name":"greeter"})"), "{\"holder\":" + id + "}");
    end(holder, caf::exit_reason::kill);
    CAF_CHECK_EQUAL(ask("names", "null"), "[]");
    CAF_CHECK_EQUAL(ask("groups", "null"), "[]");
  }

  CAF_TEST_FIXTURE_SCOPE_END()
