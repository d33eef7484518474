#define CAF_SUITE dial_book
#include "caf_app/cluster/dial_book.hpp"

#include <caf/test/unit_test.hpp>

#include "support/seed.hpp"

using namespace std::chrono_literals;
using caf_app::dial_book;

const dial_book::clock::time_point start{1h};

CAF_TEST(a peer is dialled once at a time) {
  dial_book book{test_seed()};
  CAF_CHECK(book.begin("b", start));
  CAF_CHECK(!book.begin("b", start + dial_book::dial_time_max - 1ms));
  CAF_CHECK(book.begin("b", start + dial_book::dial_time_max));
  CAF_CHECK(book.begin("c", start));
}

CAF_TEST(a failure waits longer each time and a link forgets it) {
  dial_book book{test_seed(), {100ms, 400ms}};
  auto now = start;
  for (const auto longest : {100ms, 200ms, 400ms, 400ms}) {
    CAF_CHECK(book.begin("b", now));
    book.failed("b", now);
    CAF_CHECK(!book.begin("b", now + longest / 2 - 1ms));
    now += longest;
  }
  CAF_CHECK(book.begin("b", now));
  book.linked("b", now);
  CAF_CHECK(book.begin("b", now));
  book.failed("b", now);
  CAF_CHECK(book.begin("b", now + 100ms));
}

CAF_TEST(peers do not wait for each other) {
  dial_book book{test_seed()};
  CAF_CHECK(book.begin("b", start));
  book.failed("b", start);
  CAF_CHECK(book.begin("c", start));
}
