#define CAF_SUITE cluster_client
#include "caf_app/cluster_client.hpp"

#include <caf/test/unit_test.hpp>

#include "caf_app/base/error.hpp"
#include "caf_app/base/limits.hpp"

using namespace caf_app;

namespace {

/// What comes of joining under `name`: "joined", or the error.
std::string join(const std::string& name,
                 std::map<std::string, std::string> peers = {{"a", "x:1"}}) {
  app host{app_options{}};
  cluster_client_options options;
  options.cluster = "test";
  options.name = name;
  options.peers = std::move(peers);
  auto joined = join_cluster(host, std::move(options));
  return joined ? "joined" : describe(joined.error());
}

bool refused(const std::string& result) {
  return result.find("the name of the client: ") != std::string::npos;
}

} // namespace

CAF_TEST(a client joins under a name that others can print) {
  const auto longest = std::string(limits::registry::name_bytes_max, 'n');
  CAF_CHECK_EQUAL(join("client-1"), "joined");
  CAF_CHECK_EQUAL(join(longest.substr(1)), "joined");
  CAF_CHECK_EQUAL(join(longest), "joined");
  for (const auto& name :
       {longest + "n", std::string{"a b"}, std::string{"a\nb"}, std::string{"\x1b[2J"}})
    CAF_CHECK(refused(join(name)));
}

CAF_TEST(a client needs a name and somebody to dial) {
  for (const auto& result : {join(""), join("client", {})})
    CAF_CHECK(result.find("a client needs") != std::string::npos);
}
