#define CAF_SUITE event_text
#include "nodes/event_text.hpp"

#include <caf/test/unit_test.hpp>

using namespace caf_app;

CAF_TEST(an event ends with an empty line) {
  CAF_CHECK_EQUAL(event_text("nodes", "[1]"), "event: nodes\ndata: [1]\n\n");
  CAF_CHECK_EQUAL(event_text("x", ""), "event: x\ndata: \n\n");
}

CAF_TEST(data cannot end its event) {
  CAF_CHECK_EQUAL(event_text("x", "a\n\nevent: y"),
                  "event: x\ndata: a\ndata: \ndata: event: y\n\n");
  CAF_CHECK_EQUAL(event_text("x", "a\r\nb\rc\n"),
                  "event: x\ndata: a\ndata: b\ndata: c\ndata: \n\n");
}

CAF_TEST(of an array the last elements are kept) {
  CAF_CHECK_EQUAL(tail_of("[1,2,3]", 2), "[2,3]");
  CAF_CHECK_EQUAL(tail_of("[1, 2]", 2), "[1, 2]");
  CAF_CHECK_EQUAL(tail_of("[1,2]", 0), "[]");
  CAF_CHECK_EQUAL(tail_of("{\"a\":[1,2]}", 1), "{\"a\":[1,2]}");
  CAF_CHECK_EQUAL(tail_of("[1,2", 1), "[1,2");
}
