#define CAF_SUITE leave_gate
#include "actors/http/leave_gate.hpp"

#include <caf/test/unit_test.hpp>

using caf_app::http::leave_gate;

CAF_TEST(who comes first decides) {
  leave_gate left;
  CAF_CHECK(left.close());
  CAF_CHECK(left.close()); // the next listener
  CAF_CHECK(!left.revoke());
  CAF_CHECK(!left.revoked());
  leave_gate stays;
  CAF_CHECK(stays.revoke());
  CAF_CHECK(stays.revoke());
  CAF_CHECK(!stays.close());
  CAF_CHECK(stays.revoked());
}
