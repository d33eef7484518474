#define CAF_SUITE config_report
#include "caf_app/base/config_report.hpp"

#include <caf/test/unit_test.hpp>

#include "caf_app/base/limits.hpp"

using namespace caf_app;

CAF_TEST(no more complaints than a person can read are told) {
  const auto count = [](size_t complaints) {
    config_report report;
    for (size_t i = 0; i < complaints; ++i)
      report.add({nullptr, 1, 1}, "x");
    return report.lines();
  };
  const auto max = limits::config::errors_max;
  CAF_CHECK_EQUAL(count(max - 1).size(), max - 1);
  CAF_CHECK_EQUAL(count(max).size(), max);
  CAF_CHECK_EQUAL(count(max + 1).size(), max + 1);
  const auto full = count(max);
  CAF_CHECK_EQUAL(full.back(), "configuration:1:1: x");
  const auto cut = count(max + 2);
  CAF_CHECK_EQUAL(cut.back(), "and 2 more");
}

CAF_TEST(nothing to complain about is no error) {
  CAF_CHECK(!config_report{}.to_error());
  config_report report;
  report.add({std::make_shared<const std::string>("f.toml"), 2, 3}, "x");
  CAF_CHECK(report.to_error());
  CAF_CHECK_EQUAL(report.size(), 1u);
}
