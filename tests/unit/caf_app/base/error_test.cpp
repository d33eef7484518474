#define CAF_SUITE error
#include "caf_app/base/error.hpp"

#include <set>

#include <caf/sec.hpp>

#include <caf/test/unit_test.hpp>

using namespace caf_app;

namespace {

constexpr auto first = static_cast<int>(errc::invalid_argument);
constexpr auto last = static_cast<int>(errc::node_left);

} // namespace

CAF_TEST(every code has a sentence of its own) {
  std::set<std::string> sentences;
  for (auto i = first; i <= last; ++i) {
    const auto text = to_string(static_cast<errc>(i));
    CAF_CHECK(text.size() > 3);
    CAF_CHECK(sentences.insert(text).second);
  }
}

CAF_TEST(a description is the sentence and what went wrong) {
  const auto sentence = to_string(errc::not_found);
  CAF_CHECK_EQUAL(describe(caf::make_error(errc::not_found)), sentence);
  CAF_CHECK_EQUAL(describe(caf::make_error(errc::not_found, "here")), sentence + ": here");
}

CAF_TEST(a description keeps line ends and quotes as they are) {
  const auto text = describe(caf::make_error(errc::invalid_config, "a \"b\"\nc"));
  CAF_CHECK(text.ends_with(": a \"b\"\nc"));
}

CAF_TEST(errors of CAF can be described too) {
  CAF_CHECK(!describe(caf::make_error(caf::sec::request_timeout)).empty());
  CAF_CHECK(!describe(caf::error{}).empty());
}

CAF_TEST(only our errors have our codes) {
  for (auto i = first; i <= last; ++i)
    CAF_CHECK_EQUAL(static_cast<int>(code_of(caf::make_error(static_cast<errc>(i)))), i);
  CAF_CHECK_EQUAL(static_cast<int>(code_of(caf::error{})), 0);
  CAF_CHECK_EQUAL(static_cast<int>(code_of(caf::make_error(caf::sec::request_timeout))), 0);
}

CAF_TEST(only what was not taken may be asked of somebody else) {
  for (auto i = first; i <= last; ++i) {
    const auto code = static_cast<errc>(i);
    const auto expected =
        code == errc::noproc || code == errc::draining || code == errc::peer_congested;
    CAF_CHECK_EQUAL(was_not_taken(caf::make_error(code)), expected);
  }
  CAF_CHECK(!was_not_taken(caf::error{}));
  CAF_CHECK(!was_not_taken(caf::make_error(caf::sec::request_timeout)));
}
