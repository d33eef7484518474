#include "actors/eval/eval_config.hpp"

#include "caf_app/base/config_schema.hpp"

namespace caf_app::eval {

namespace {

config_rule<double> as_share() {
  config_rule<double> rule;
  rule.type = "number above 0, at most 1";
  rule.read = [](const config_value& value, double& out, config_report& report) {
    const auto* fraction = value.as<double>();
    const auto* whole = value.as<int64_t>();
    const auto number = fraction ? *fraction : whole ? static_cast<double>(*whole) : 0;
    if (!(number > 0 && number <= 1)) // not a number fails too
      return expected_other(value, "a number above 0, at most 1", report);
    out = number;
    return true;
  };
  rule.format = [](const double& value) {
    auto text = std::to_string(value);
    while (text.ends_with("0") && !text.ends_with(".0"))
      text.pop_back();
    return text;
  };
  return rule;
}

/// How many processes a worker may consist of: one. The kernel counts processes for each user
/// (RLIMIT_NPROC), not for each worker, and a worker's child would live on when the node is killed;
/// so drivers cannot fork at all.
config_rule<size_t> as_processes() {
  auto rule = as_count(1, limit::processes_max);
  rule.read = [](const config_value& value, size_t& out, config_report& report) {
    const auto* number = value.as<int64_t>();
    if (!number || *number != static_cast<int64_t>(limit::processes_max))
      return expected_other(value,
                            "1: a worker is one process, it can neither fork nor start threads; "
                            "`workers` says how many there are",
                            report);
    out = limit::processes_max;
    return true;
  };
  return rule;
}

void add_times(config_schema<eval_config>& schema) {
  const auto duration = as_duration(limit::duration_min, limit::duration_max);
  schema.key("build_timeout", &eval_config::build_timeout, duration, "of a whole build")
      .key("fetch_timeout", &eval_config::fetch_timeout, duration, "of bringing sources here")
      .key("call_timeout", &eval_config::call_timeout, duration,
           "of a call, time in the queue included")
      .key("handshake_timeout", &eval_config::handshake_timeout, duration,
           "of a driver or worker that starts")
      .key("idle_timeout", &eval_config::idle_timeout, duration, "then an idle worker ends");
}

void add_access(config_schema<eval_config>& schema) {
  schema
      .key("token", &eval_config::token, as_secret(limit::token_bytes_min),
           "one trusted bearer token; without it and tokens_file nobody is asked")
      .key("tokens_file", &eval_config::tokens_file, as_path(),
           "a line `TOKEN ORGANISATION` for each token")
      .key("state_key_file", &eval_config::state_key_file, as_path(),
           "the key that graph states are signed with")
      .key("salt_file", &eval_config::salt_file, as_path(),
           "goes into the ids of builds; nodes that share builds share it")
      .check([](const config_value& table, eval_config& out, config_report& report) {
        if (!out.token.empty() && !out.tokens_file.empty())
          report.add(table.find("tokens_file")->at,
                     "found \"tokens_file\" beside \"token\", expected one of them");
      });
}

} // namespace

config_rule<eval_config> eval_config_rule() {
  config_schema<eval_config> schema{"eval"};
  schema
      .key("workers", &eval_config::workers, as_count(1, limit::workers_max),
           "processes that calls run in")
      .key("build_slots", &eval_config::build_slots, as_count(1, limit::build_slots_max),
           "builds that compile at a time")
      .key("queue_max", &eval_config::queue_max, as_count(1, limit::queue_max),
           "calls that wait; more get 503")
      .key("tenant_share", &eval_config::tenant_share, as_share(),
           "of queue and workers that an organisation may take when others wait")
      .key("memory", &eval_config::memory, as_size(limit::memory_min, limit::memory_max),
           "address space of a worker")
      .key("processes", &eval_config::processes, as_processes(),
           "that a worker may consist of: it can neither fork nor start threads")
      .key("store_max", &eval_config::store_max, as_size(limit::store_min, limit::store_max),
           "builds on disk; above it the least recently used go")
      .key("allow_local", &eval_config::allow_local, as_boolean(),
           "whether sources may be folders of this host")
      .key("confinement", &eval_config::confinement,
           as_choice<confinement_wanted>({{"best", confinement_wanted::best},
                                          {"required", confinement_wanted::required},
                                          {"off", confinement_wanted::off}}),
           "of compilers and drivers");
  add_times(schema);
  add_access(schema);
  return as_table(std::move(schema));
}

} // namespace caf_app::eval
