#define CAF_SUITE type_digest
#include "caf_app/cluster/type_digest.hpp"

#include "caf_app/messages/configure.hpp"

#include <caf/test/unit_test.hpp>

namespace application {

struct order {
  int pieces = 0;
};

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, order& x) {
  return f(x.pieces);
}

struct invoice : order {};

} // namespace application

namespace {

using caf_app::type_digest;

struct plain : caf::actor_system_config {};

struct ours : caf::actor_system_config {
  ours() { caf_app::add_messages(*this); }
};

} // namespace

CAF_TEST(equal types have equal digests and others do not ) {
  const ours a;
  const ours b;
  const plain c;
  CAF_CHECK_EQUAL(type_digest(a), type_digest(b));
  CAF_CHECK_NOT_EQUAL(type_digest(a), type_digest(c));
}

CAF_TEST(types of the application count in any order) {
  const ours without;
  ours one, other, more;
  one.add_message_type<application::order>("order");
  one.add_message_type<application::invoice>("invoice");
  other.add_message_type<application::invoice>("invoice");
  other.add_message_type<application::order>("order");
  more.add_message_type<application::order>("order");
  CAF_CHECK_EQUAL(type_digest(one), type_digest(other));
  CAF_CHECK_NOT_EQUAL(type_digest(one), type_digest(more));
  CAF_CHECK_NOT_EQUAL(type_digest(more), type_digest(without));
}
