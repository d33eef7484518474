#include "actors/eval/eval_supervisor.hpp"

#include <fstream>
#include <sstream>

#include <caf/send.hpp>

#include "actors/eval/builds_actor.hpp"
#include "actors/eval/dispatcher_actor.hpp"
#include "actors/eval/front_actor.hpp"
#include "actors/eval/process/probe.hpp"
#include "actors/eval/signing_actor.hpp"
#include "caf_app/supervision/supervisor.hpp"

namespace caf_app::eval {

namespace {

constexpr size_t secret_bytes_max = limits::mib;

caf::error cannot_start(const std::string& why) {
  return caf::make_error(errc::start_failed, "evaluator: " + why);
}

caf::expected<std::string> read_secret(const std::filesystem::path& path, const char* key) {
  std::ifstream file{path, std::ios::binary};
  std::ostringstream text;
  text << file.rdbuf();
  auto content = text.str();
  if (!file || content.empty() || content.size() > secret_bytes_max)
    return cannot_start(std::string{key} + " " + path.string() + " cannot be read, or is empty");
  return content;
}

caf::error read_files(evaluator_options& to) {
  const auto& config = to.config;
  if (!config.token.empty())
    to.access = access_list::trusted(config.token);
  if (!config.tokens_file.empty()) {
    auto text = read_secret(config.tokens_file, "tokens_file");
    if (!text)
      return std::move(text.error());
    auto list = access_list::read(*text);
    if (auto why = std::get_if<std::string>(&list))
      return cannot_start("tokens_file " + config.tokens_file.string() + ": " + *why);
    to.access = std::get<access_list>(std::move(list));
  }
  if (!config.state_key_file.empty()) {
    auto key = read_secret(config.state_key_file, "state_key_file");
    if (!key)
      return std::move(key.error());
    if (key->ends_with('\n'))
      key->pop_back();
    if (key->ends_with('\r'))
      key->pop_back();
    to.state_key = std::move(*key);
  }
  return caf::none;
}

caf::error probe(evaluator_options& to) {
  const auto wanted = to.config.confinement;
  if (wanted == confinement_wanted::off) {
    to.state->confinement = R"({"mode":"off"})";
    to.log->warning({"eval", 0}, "drivers and compilers are not confined");
    return caf::none;
  }
  const auto layers = probe_confinement(default_toolchain({}));
  to.state->confinement = layers.json_text;
  if (layers.complete)
    return caf::none;
  if (wanted == confinement_wanted::required)
    return cannot_start("this host lacks a layer of confinement: " + layers.json_text);
  to.log->warning({"eval", 0}, "this host lacks a layer of confinement",
                  {{"layers", layers.json_text}});
  return caf::none;
}

/// An actor that holds a name, which is registered at each start.
template <class Spawn>
child_spec named(const evaluator_options_ptr& options, std::string id, std::string name,
                 Spawn spawn) {
  child_spec spec;
  spec.id = std::move(id);
  spec.start = [options, name = std::move(name),
                spawn](const start_context& start) -> caf::expected<caf::actor> {
    caf::expected<caf::actor> actor = spawn(start);
    if (!actor)
      return actor;
    if (auto held = options->names->register_name(name, *actor); !held) {
      caf::anon_send_exit(*actor, caf::exit_reason::kill);
      return std::move(held.error());
    }
    return actor;
  };
  return spec;
}

} // namespace

caf::expected<std::shared_ptr<evaluator>> evaluator::make(evaluator_options options,
                                                          evaluator_extent extent) {
  options.state = std::make_shared<evaluator_state>();
  options.state->confinement = "null";
  if (auto err = read_files(options))
    return err;
  if (extent == evaluator_extent::whole) {
    if (auto err = probe(options))
      return err;
    if (auto store = open_store(options); !store)
      return std::move(store.error());
  }
  return std::shared_ptr<evaluator>{
      new evaluator{std::make_shared<const evaluator_options>(std::move(options)), extent}};
}

caf::error evaluator::check(const eval_config& config) {
  evaluator_options options;
  options.config = config;
  return read_files(options);
}

child_spec evaluator::spec() const {
  const auto options = options_;
  supervisor_options keeper;
  if (extent_ == evaluator_extent::whole) {
    keeper.children.push_back(
        named(options, "builds", "evaluator.builds." + options->node,
              [options](const start_context& start) -> caf::expected<caf::actor> {
                auto store = open_store(*options);
                if (!store)
                  return std::move(store.error());
                return caf::actor{start.system.spawn<builds_actor>(options, std::move(*store))};
              }));
    keeper.children.push_back(
        named(options, "dispatcher", "evaluator.dispatcher." + options->node,
              [options](const start_context& start) -> caf::expected<caf::actor> {
                auto actor = caf::actor{spawn_on<dispatcher_actor>(
                    start.system, options->loop, options,
                    caf::actor_cast<caf::actor>(start.parent.address()))};
                options->names->join("eval", actor);
                // In the whole cluster, so that the fronts of other nodes find it.
                options->names->claim_name("eval." + options->node, actor, claim_mode::standby,
                                           [](const caf::error&) {});
                return actor;
              }));
  }
  if (!options->state_key.empty())
    keeper.children.push_back(named(options, "states", "evaluator.states." + options->node,
                                    [options](const start_context& start) {
                                      return caf::expected<caf::actor>{
                                          start.system.spawn(signing_actor, options)};
                                    }));
  keeper.children.push_back(named(
      options, "large", "evaluator.front." + options->node, [options](const start_context& start) {
        return caf::expected<caf::actor>{caf::actor{
            spawn_on<front_actor>(start.system, static_cast<event_loop*>(nullptr), options)}};
      }));
  keeper.children.push_back(named(options, "front", "eval", [options](const start_context& start) {
    return caf::expected<caf::actor>{
        caf::actor{spawn_on<front_actor>(start.system, options->loop, options)}};
  }));
  return supervisor_child("eval", std::move(keeper), std::chrono::seconds{10});
}

void evaluator::drain() const {
  options_->state->draining = true;
  options_->names->unregister_name("eval." + options_->node); // others send calls elsewhere
  if (const auto dispatcher = options_->names->where_is("evaluator.dispatcher." + options_->node))
    caf::anon_send(dispatcher, dispatcher_drain{});
}

} // namespace caf_app::eval
