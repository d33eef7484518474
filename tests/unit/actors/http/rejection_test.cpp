#define CAF_SUITE rejection

#include "actors/http/rejection.hpp"

#include <caf/test/unit_test.hpp>

#include "actors/http/method.hpp"
#include "actors/http/status.hpp"

using namespace caf_app::http;
using namespace std::literals;

CAF_TEST(every fault has a reason but those that are not counted) {
  for (size_t i = 0; i < fault_count; ++i) {
    const auto why = static_cast<fault>(i);
    const bool is_counted = why != fault::none && why != fault::not_found;
    CAF_CHECK_EQUAL(rejection_of(why).reason.empty(), !is_counted);
  }
}

CAF_TEST(a cut connection gets no response) {
  for (size_t i = 0; i < fault_count; ++i) {
    const auto& row = rejection_of(static_cast<fault>(i));
    CAF_CHECK(row.connection != disposition::cut || row.status == 0);
    CAF_CHECK(row.status == 0 || !status_line(row.status).empty());
  }
}

CAF_TEST(rows stand at the place of their fault) {
  CAF_CHECK_EQUAL(rejection_of(fault::request_line).reason, "request_line"sv);
  CAF_CHECK_EQUAL(rejection_of(fault::path).reason, "path"sv);
  CAF_CHECK_EQUAL(rejection_of(fault::head_size).status, 431u);
  CAF_CHECK_EQUAL(rejection_of(fault::slow_request).status, 408u);
  CAF_CHECK_EQUAL(rejection_of(fault::idle).reason, "idle"sv);
  CAF_CHECK_EQUAL(rejection_of(fault::per_ip).reason, "per_ip"sv);
  CAF_CHECK_EQUAL(rejection_of(fault::rate).status, 429u);
  CAF_CHECK_EQUAL(rejection_of(fault::shed).status, 503u);
  CAF_CHECK_EQUAL(rejection_of(fault::tls_handshake).reason, "tls_handshake"sv);
  CAF_CHECK_EQUAL(rejection_of(fault::h2_abuse).reason, "h2_abuse"sv);
}

CAF_TEST(statuses have lines and phrases) {
  CAF_CHECK_EQUAL(status_line(200), "HTTP/1.1 200 OK\r\n"sv);
  CAF_CHECK_EQUAL(reason_phrase(431), "Request Header Fields Too Large"sv);
  CAF_CHECK_EQUAL(reason_phrase(102), "Processing"sv);
  CAF_CHECK_EQUAL(reason_phrase(506), "Variant Also Negotiates"sv);
  CAF_CHECK_EQUAL(reason_phrase(510), "Not Extended"sv);
  CAF_CHECK_EQUAL(reason_phrase(299), "Unknown"sv);
  CAF_CHECK_EQUAL(status_line(299), ""sv);
  CAF_CHECK_EQUAL(status_line(65535), ""sv);
  CAF_CHECK(is_bodiless(304) && is_bodiless(204) && is_bodiless(100) && !is_bodiless(200));
}

CAF_TEST(methods are found by their exact name) {
  for (auto what : {method::get, method::head, method::post, method::put, method::patch,
                    method::delete_, method::options, method::trace, method::connect})
    CAF_CHECK(parse_method(to_string(what)) == what);
  for (auto text : {"", "G", "GE", "get", "GETS", "PO", "PATH", "UNKNOWN", "XYZ"})
    CAF_CHECK(parse_method(text) == method::unknown);
}

CAF_TEST(a set of methods is the value of Allow) {
  CAF_CHECK_EQUAL(to_string(method_set{method::options, method::head, method::get}),
                  "GET, HEAD, OPTIONS");
  CAF_CHECK_EQUAL(to_string(method_set{}), "");
  CAF_CHECK(method_set{method::unknown}.empty());
  CAF_CHECK(!routable_methods.contains(method::trace));
  CAF_CHECK(is_idempotent(method::put) && !is_idempotent(method::post) && !is_safe(method::put));
}
