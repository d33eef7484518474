#define CAF_SUITE local_nodes
#include "nodes/local_nodes.hpp"

#include <sys/stat.h>

#include <fstream>
#include <iterator>

#include <caf/test/unit_test.hpp>

#include "support/scratch_folder.hpp"

using namespace caf_app;

namespace {

std::string content_of(const std::filesystem::path& file) {
  std::ifstream in{file};
  return {std::istreambuf_iterator<char>{in}, {}};
}

} // namespace

CAF_TEST(loopback is of this host and a documentation address is not ) {
  for (const auto* host : {"127.0.0.1", "127.9.8.7", "::1", "localhost"})
    CAF_CHECK(is_of_this_host(host));
  for (const auto* host : {"192.0.2.1", "2001:db8::1", "no-such-host.invalid"})
    CAF_CHECK(!is_of_this_host(host));
}

CAF_TEST(nodes here are those without a link and those with an address of ours) {
  cluster_config config;
  for (const auto* name : {"a", "b", "c"})
    config.nodes.emplace_back().name = name;
  config.nodes[1].link = host_port{"192.0.2.1", 7000};
  config.nodes[2].link = host_port{"127.0.0.1", 7000};
  const auto found = local_nodes(config);
  CAF_REQUIRE_EQUAL(found.size(), 2u);
  CAF_CHECK_EQUAL(found[0]->name, "a");
  CAF_CHECK_EQUAL(found[1]->name, "c");
}

CAF_TEST(a secret is made once for its owner only) {
  const scratch_folder folder;
  const std::filesystem::path file = folder / "var/cluster.key";
  CAF_CHECK(!make_secret(file));
  struct stat info {};
  CAF_REQUIRE_EQUAL(::stat(file.c_str(), &info), 0);
  CAF_CHECK_EQUAL(info.st_mode & 07777u, 0600u);
  const auto first = content_of(file);
  CAF_CHECK_EQUAL(first.size(), 64u);
  CAF_CHECK_EQUAL(first.find_first_not_of("0123456789abcdef"), std::string::npos);
  CAF_CHECK(!make_secret(file));
  CAF_CHECK_EQUAL(content_of(file), first);
  const std::filesystem::path other = folder / "other.key";
  CAF_CHECK(!make_secret(other));
  CAF_CHECK_NOT_EQUAL(content_of(other), first);
}

CAF_TEST(a secret that cannot be written is an error) {
  const scratch_folder folder;
  std::ofstream{folder / "file"} << "x";
  CAF_CHECK(make_secret(folder / "file/cluster.key") != caf::none);
}
