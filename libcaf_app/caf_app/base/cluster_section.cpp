#include "caf_app/base/cluster_section.hpp"

#include "caf_app/base/config_compound_rule.hpp"
#include "caf_app/base/config_schema.hpp"

namespace caf_app {

namespace {

using namespace std::chrono_literals;
namespace bounds = limits::cluster;

config_rule<cluster_tls_section> tls_rule() {
  config_schema<cluster_tls_section> schema{"cluster.tls"};
  schema
      .key("cert", &cluster_tls_section::cert, as_path(),
           "PEM chain of this node, whose name is a DNS name of it; {node} stands for that name",
           config_presence::required)
      .key("key", &cluster_tls_section::key, as_path(), "PEM key; {node} as in cert",
           config_presence::required)
      .key("ca", &cluster_tls_section::ca, as_path(), "PEM of the cluster's authority",
           config_presence::required);
  return as_table(std::move(schema));
}

void check_relations(const config_value& table, cluster_section& out, config_report& report) {
  if (out.link_buffer < 2 * out.max_frame)
    report.add(table.at, "expected link_buffer of at least twice max_frame");
  if (out.heartbeat * 4 > out.acceptable_pause)
    report.add(table.at, "expected acceptable_pause of at least four heartbeats");
  const auto& gateway = out.basp_gateway;
  if (gateway && !is_loopback(*gateway))
    report.add(
        table.find("basp_gateway")->at,
        "expected a loopback address such as \"127.0.0.1:4242\": whoever reaches the gateway "
        "may send to every named actor");
}

} // namespace

config_rule<cluster_section> cluster_section_rule() {
  using section = cluster_section;
  const auto quorum = as_choice<quorum_choice>(
      {{"none", quorum_choice::none}, {"majority", quorum_choice::majority}});
  config_schema<section> schema{"cluster"};
  schema.key("name", &section::name, as_name(), "nodes of another cluster are refused")
      .key("secret_file", &section::secret_file, as_path(),
           "the key that nodes prove to each other")
      .key("data_dir", &section::data_dir, as_path(),
           "each node uses the folder of its name below it")
      .key("insecure", &section::insecure, as_boolean(), "allows links without TLS beyond loopback")
      .key("quorum", &section::quorum, as_optional(quorum),
           "who may grant names; by default none for one or two nodes, else majority")
      .key("heartbeat", &section::heartbeat, as_duration(50ms, 600ms),
           "how often each node tells each other that it lives")
      .key("acceptable_pause", &section::acceptable_pause, as_duration(bounds::lease, 5min),
           "silence of a busy but living node")
      .key("reconnect_grace", &section::reconnect_grace, as_duration(bounds::lease, 5min),
           "time for a broken link to come back")
      .key("stable_after", &section::stable_after, as_duration(bounds::lease, 1h),
           "without a quorum for so long a node gives up its cluster names")
      .key("stall_timeout", &section::stall_timeout, as_duration(1s, 1h),
           "a peer that takes nothing for so long is cut")
      .key("handshake_timeout", &section::handshake_timeout, as_duration(100ms, 1min),
           "from the first byte of a link to its last proof")
      .key("busy_poll", &section::busy_poll, as_boolean(),
           "threads that expect something look for it for 50 us before they sleep")
      .key("link_buffer", &section::link_buffer, as_size(256 * limits::kib, 4096 * limits::mib),
           "bytes that wait for one node")
      .key("max_frame", &section::max_frame, as_size(bounds::chunk_bytes, 1024 * limits::mib),
           "largest message that is accepted")
      .key("basp_gateway", &section::basp_gateway, as_optional(as_listen_address()),
           "where plain CAF programs may look names up; none without it")
      .key("tls", &section::tls, tls_rule(), "certificates of links, instead of the secret")
      .check(check_relations);
  return as_table(std::move(schema));
}

} // namespace caf_app
