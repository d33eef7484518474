#define CAF_SUITE body_buffer
#include "actors/http/body_buffer.hpp"

#include <random>

#include <caf/test/unit_test.hpp>

#include "support/seed.hpp"
#include "support/sockets.hpp"

using caf_app::http::body_buffer;

CAF_TEST(content within the limit stays in memory) {
  for (const size_t size : {0, 1, 9, 10}) {
    body_buffer body{10};
    CAF_CHECK(body.append(std::string(size, 'x')));
    CAF_CHECK(!body.spooled());
    CAF_CHECK_EQUAL(body.view(), std::string(size, 'x'));
  }
}

CAF_TEST(content over the limit moves to a file as a whole) {
  body_buffer body{10};
  CAF_CHECK(body.append(std::string(10, 'a')));
  CAF_CHECK(body.append(std::string(1, 'b')));
  CAF_CHECK(body.spooled());
  CAF_CHECK_EQUAL(body.view(), "aaaaaaaaaab");
  CAF_CHECK(body.append(std::string(1, 'c')));
  CAF_CHECK_EQUAL(body.view(), "aaaaaaaaaabc");
  CAF_CHECK_EQUAL(body.size(), 12u);
}

CAF_TEST(a limit of zero spools the first byte) {
  body_buffer body{0};
  CAF_CHECK(body.append(std::string(1, 'x')));
  CAF_CHECK(body.spooled());
  CAF_CHECK_EQUAL(body.view(), "x");
}

CAF_TEST(any slices give the same content) {
  std::mt19937 random{test_seed()};
  for (int round = 0; round < 30; ++round) {
    body_buffer body{random() % 2000};
    std::string model;
    for (auto parts = random() % 20; parts > 0; --parts) {
      const std::string part(random() % 300, static_cast<char>('a' + random() % 26));
      CAF_REQUIRE(body.append(part));
      model += part;
      if (random() % 3 == 0)
        CAF_REQUIRE_EQUAL(body.view(), model);
    }
    CAF_REQUIRE_EQUAL(body.view(), model);
    CAF_REQUIRE_EQUAL(body.size(), model.size());
  }
}

CAF_TEST(no descriptor is left) {
  const auto before = caf_app::test::open_descriptors();
  {
    body_buffer body{1};
    CAF_CHECK(body.append(std::string(100, 'x')));
    CAF_CHECK_EQUAL(body.view().size(), 100u);
    CAF_CHECK_EQUAL(caf_app::test::open_descriptors(), before + 1);
  }
  CAF_CHECK_EQUAL(caf_app::test::open_descriptors(), before);
}
