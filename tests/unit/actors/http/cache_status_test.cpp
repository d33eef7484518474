#define CAF_SUITE cache_status
#include "actors/http/cache_status.hpp"

#include <caf/test/unit_test.hpp>

using namespace caf_app::http;
using namespace std::chrono_literals;

CAF_TEST(hits and what is forwarded) {
  cache_status status;
  CAF_CHECK_EQUAL(to_string(status), "caf_app; hit");
  status.ttl = 12s;
  CAF_CHECK_EQUAL(to_string(status), "caf_app; hit; ttl=12");
  status.ttl = -3s;
  CAF_CHECK_EQUAL(to_string(status), "caf_app; hit; ttl=-3");
  status = {};
  status.forwarded = forward_reason::stale;
  status.origin_status = 304;
  status.ttl = 60s;
  status.stored = true;
  CAF_CHECK_EQUAL(to_string(status), "caf_app; fwd=stale; fwd-status=304; ttl=60; stored");
  status = {};
  status.forwarded = forward_reason::uri_miss;
  status.collapsed = true;
  status.detail = "x";
  CAF_CHECK_EQUAL(to_string(status), "caf_app; fwd=uri-miss; collapsed; detail=x");
}

CAF_TEST(each reason has its word) {
  using std::pair;
  for (const auto& [reason, word] :
       {pair{forward_reason::bypass, "bypass"}, pair{forward_reason::method, "method"},
        pair{forward_reason::vary_miss, "vary-miss"}, pair{forward_reason::request, "request"},
        pair{forward_reason::partial, "partial"}}) {
    cache_status status;
    status.forwarded = reason;
    CAF_CHECK_EQUAL(to_string(status), std::string{"caf_app; fwd="} + word);
  }
}
