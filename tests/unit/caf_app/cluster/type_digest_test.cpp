#define CAF_SUITE type_digest
#include "caf_app/cluster/type_digest.hpp"

#include "caf_app/messages/configure.hpp"

#include <caf/test/unit_test.hpp>

namespace {

struct plain : caf::actor_system_config {};

struct ours : caf::actor_system_config {
  ours() { caf_app::add_messages(*this); }
};

} // namespace

CAF_TEST(equal types have equal digests and others do not ) {
  const ours a;
  const ours b;
  const plain c;
  CAF_CHECK_EQUAL(caf_app::type_digest(a), caf_app::type_digest(b));
  CAF_CHECK_NOT_EQUAL(caf_app::type_digest(a), caf_app::type_digest(c));
}
