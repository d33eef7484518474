#define CAF_SUITE config_keys
#include "nodes/config_keys.hpp"

#include <algorithm>

#include <caf/test/unit_test.hpp>

using namespace caf_app;

namespace {

/// Keys whose value has a bound that their type does not say, with the tables they are in.
std::string silent_keys(const std::vector<config_key>& keys, const std::string& path = {}) {
  constexpr const char* kinds[]{"number", "integer", "size", "duration", "rate"};
  std::string result;
  for (const auto& key : keys) {
    const auto first = key.type.substr(0, key.type.find_first_of(" ,"));
    const auto is_bounded = std::find(std::begin(kinds), std::end(kinds), first) != std::end(kinds);
    const auto says_bound = key.type.find_first_of("0123456789") != key.type.npos;
    if (is_bounded && !says_bound)
      result += path + key.name + " ";
    result += silent_keys(key.keys, path + key.name + ".");
  }
  return result;
}

} // namespace

CAF_TEST(the reference says the range of every number) {
  CAF_CHECK_EQUAL(silent_keys(node_config_keys()), "");
}
