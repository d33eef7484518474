#define CAF_SUITE error_detail
#include "caf_app/base/error_detail.hpp"

#include <caf/sec.hpp>
#include <caf/test/unit_test.hpp>

#include "caf_app/base/error.hpp"

using namespace caf_app;

CAF_TEST(the detail of an error is its text alone) {
  CAF_CHECK_EQUAL(detail_of(caf::make_error(errc::not_found, "here")), "here");
}

CAF_TEST(an error without a text or of CAF itself is described) {
  for (const auto& err :
       {caf::make_error(errc::not_found), caf::make_error(caf::sec::request_timeout), caf::error{}})
    CAF_CHECK_EQUAL(detail_of(err), describe(err));
}
