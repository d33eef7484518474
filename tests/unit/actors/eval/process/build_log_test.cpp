#define CAF_SUITE build_log
#include "actors/eval/process/build_log.hpp"

#include <fstream>
#include <sstream>

#include <caf/test/unit_test.hpp>

#include "support/scratch_folder.hpp"

using namespace caf_app::eval;

namespace {

const std::string mark = "\n== the log is full: the rest is cut\n";

/// What is in a log of at most 10 bytes after these texts.
std::string log_of(std::initializer_list<const char*> texts) {
  scratch_folder folder;
  build_log log{folder / "log", 10};
  for (auto text : texts)
    log.append(text);
  std::ostringstream content;
  content << std::ifstream{folder / "log"}.rdbuf();
  return content.str();
}

} // namespace

CAF_TEST(a log takes as much as it may hold) {
  CAF_CHECK_EQUAL(log_of({"1234", "56789"}), "123456789");
  CAF_CHECK_EQUAL(log_of({"1234", "567890", ""}), "1234567890");
}

CAF_TEST(a full log keeps its beginning and says once that it was cut) {
  CAF_CHECK_EQUAL(log_of({"1234567890", "1"}), "1234567890" + mark);
  CAF_CHECK_EQUAL(log_of({"1234", "5678901", "2", "3"}), "1234567890" + mark);
}
