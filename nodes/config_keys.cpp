#include "nodes/config_keys.hpp"

#include "actors/eval/eval_config.hpp"
#include "actors/http/http_config.hpp"
#include "actors/scaler/scaler_config.hpp"
#include "caf_app/base/cluster_config.hpp"

namespace caf_app {

std::vector<config_key> node_config_keys() {
  auto result = cluster_config_keys();
  const auto add = [&](const char* name, const char* meaning, std::vector<config_key> keys) {
    result.push_back({name, "table", "", meaning, std::move(keys)});
  };
  add("http", "the web tier, for nodes with the role http", http::http_config_rule().keys);
  add("eval", "the evaluator, for nodes with the role eval", eval::eval_config_rule().keys);
  add("scaler", "how many web instances serve, for nodes with the role scaler",
      scaler::scaler_config_rule().keys);
  return result;
}

} // namespace caf_app
