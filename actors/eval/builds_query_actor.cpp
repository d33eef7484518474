// What the builds actor answers without starting anything.
#include "actors/eval/builds_actor.hpp"

#include <algorithm>
#include <fstream>

#include <sys/stat.h>

#include "actors/eval/api_reply.hpp"
#include "actors/eval/process/file_content.hpp"

namespace caf_app::eval {

namespace {

/// How often a growing log is looked at for somebody who waits.
constexpr std::chrono::milliseconds log_poll{100};

void write_file(const std::string& path, std::string_view content, std::ios::openmode how) {
  std::ofstream file{path, std::ios::binary | how};
  file.write(content.data(), static_cast<std::streamsize>(content.size()));
}

/// Each line begins with the mark; a line's end that is missing is added.
std::string marked(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    result += "[worker] ";
    result += text.substr(0, end);
    result += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

std::vector<std::string> names_in(const json& description, std::string_view member) {
  std::vector<std::string> result;
  if (const auto* list = description.find(member); list && list->if_array())
    for (auto& item : *list->if_array())
      if (const auto* name = item.find("name"); name && name->if_string())
        result.push_back(*name->if_string());
  return result;
}

eval_reply no_such_build(const std::string& id) {
  return refusal(404, "there is no build " + id, "not_found");
}

} // namespace

caf::expected<build_store> open_store(const evaluator_options& options) {
  const auto root = (options.data_dir / "eval").string();
  auto opened = build_store::open(root, options.entropy);
  if (auto why = std::get_if<std::string>(&opened))
    return caf::make_error(errc::start_failed, "evaluator: " + *why);
  auto store = std::get<build_store>(std::move(opened));
  if (options.config.salt_file.empty())
    return store;
  const auto path = options.config.salt_file.string();
  if (content_of(path).empty()) {
    write_file(path, options.entropy, std::ios::trunc);
    ::chmod(path.c_str(), S_IRUSR | S_IWUSR);
  }
  auto salt = content_of(path);
  if (salt.empty())
    return caf::make_error(errc::start_failed,
                           "evaluator: salt_file " + path + " cannot be read or made");
  store.use_salt(std::move(salt));
  return store;
}

caf::result<eval_reply> builds_actor::on_request(eval_build_request& request) {
  if (request.operation == "post") {
    auto promise = make_response_promise<reply_promise>();
    post(request, promise);
    return promise;
  }
  if (request.operation == "list")
    return list(request.organisation);
  if (request.operation == "get")
    return get(request.build, request.organisation);
  if (request.operation == "log")
    return on_log(request);
  if (request.operation == "delete")
    return remove(request.build, request.organisation);
  return refusal(400, "there is no operation " + request.operation, "invalid_request");
}

std::optional<build_status> builds_actor::status_of(const std::string& id,
                                                    const std::string& organisation) const {
  const build_status* found = nullptr;
  if (const auto running = running_.find(id); running != running_.end())
    found = &running->second.status;
  else if (const auto known = known_.find(id); known != known_.end())
    found = &known->second;
  if (!found || (!organisation.empty() && found->organisation != organisation))
    return std::nullopt;
  return *found;
}

eval_reply builds_actor::list(const std::string& organisation) const {
  std::vector<const build_status*> all;
  const auto take = [&](const build_status& status) {
    if (organisation.empty() || status.organisation == organisation)
      all.push_back(&status);
  };
  for (auto& [id, status] : known_)
    take(status);
  for (auto& [id, build] : running_)
    take(build.status);
  std::sort(all.begin(), all.end(), [](const auto* a, const auto* b) {
    return std::tie(a->created_ms, a->id) < std::tie(b->created_ms, b->id);
  });
  json::array builds;
  for (const auto* status : all)
    builds.push_back(to_json(*status));
  json result;
  result.add("builds", std::move(builds));
  return json_reply_of(200, result);
}

eval_reply builds_actor::get(const std::string& id, const std::string& organisation) const {
  const auto status = status_of(id, organisation);
  return status ? json_reply_of(200, to_json(*status)) : no_such_build(id);
}

/// The log from `offset` on. While the build runs there may be more.
eval_reply builds_actor::log(const eval_build_request& request) const {
  if (!status_of(request.build, request.organisation))
    return no_such_build(request.build);
  eval_reply result;
  result.content_type = "text/plain; charset=utf-8";
  result.more = running_.count(request.build) > 0;
  result.body = content_of(store_.folder_of(request.build) + "/log");
  if (!result.more)
    result.body += content_of(store_.folder_of(request.build) + "/worker.log");
  result.body.erase(0, static_cast<size_t>(std::min<uint64_t>(request.offset, result.body.size())));
  return result;
}

/// A request for a log that has nothing new yet waits for it.
caf::result<eval_reply> builds_actor::on_log(eval_build_request& request) {
  auto reply = log(request);
  if (!reply.more || !reply.body.empty() || request.wait_ms == 0)
    return reply;
  auto promise = make_response_promise<reply_promise>();
  const auto ticket = ++last_ticket_;
  log_waiters_.emplace(ticket, posting{std::move(request), promise});
  delayed_send(this, log_poll, log_poll_ticket{ticket});
  return promise;
}

void builds_actor::on_log_poll(uint64_t ticket) {
  const auto found = log_waiters_.find(ticket);
  if (found == log_waiters_.end())
    return;
  auto& [request, promise] = found->second;
  request.wait_ms -= std::min<uint32_t>(request.wait_ms, log_poll.count());
  auto reply = log(request);
  if (reply.more && reply.body.empty() && request.wait_ms > 0) {
    delayed_send(this, log_poll, log_poll_ticket{ticket});
    return;
  }
  promise.deliver(std::move(reply));
  log_waiters_.erase(found);
}

eval_reply builds_actor::remove(const std::string& id, const std::string& organisation) {
  if (!status_of(id, organisation))
    return no_such_build(id);
  eval_reply done;
  done.status = 204;
  done.content_type.clear();
  if (const auto running = running_.find(id); running != running_.end()) {
    running->second.cancelled = true;
    running->second.cancel->raise();
    if (const auto waits = std::find(queue_.begin(), queue_.end(), id); waits != queue_.end()) {
      queue_.erase(waits);
      finish(id);
    }
    return done;
  }
  known_.erase(id);
  pins_.erase(id);
  store_.remove(id);
  if (const auto dispatcher = options_->names->where_is("evaluator.dispatcher." + options_->node))
    send(dispatcher, build_gone{id});
  return done;
}

/// What is not here may be on another node.
caf::result<found_build> builds_actor::find(const std::string& id) {
  const auto is_here = running_.count(id) > 0 || known_.count(id) > 0;
  if (lacks_driver(id) || finders_.count(id) > 0 || (!is_here && !peers().empty()))
    return find_elsewhere(id);
  return find_here(id);
}

found_build builds_actor::find_here(const std::string& id) {
  found_build result;
  const auto status = status_of(id, {});
  if (!status) {
    result.refusal = no_such_build(id);
  } else if (status->state != build_state::ready) {
    result.refusal = refusal(
        409, "the build is not ready but " + std::string{to_string(status->state)}, "not_ready");
  } else {
    store_.touch(id);
    ++pins_[id];
    result.organisation = status->organisation;
    result.tools = std::make_shared<toolchain>(tools_);
    result.driver = store_.folder_of(id) + "/driver";
    result.functions = names_in(status->description, "functions");
    result.graphs = names_in(status->description, "graphs");
  }
  return result;
}

/// Appends; the last `worker_output_bytes` stay.
void builds_actor::on_output(worker_output& said) {
  if (known_.count(said.build) == 0)
    return;
  const auto path = store_.folder_of(said.build) + "/worker.log";
  write_file(path, marked(said.text), std::ios::app);
  struct stat what {};
  if (::stat(path.c_str(), &what) == 0 &&
      static_cast<size_t>(what.st_size) > 2 * limit::worker_output_bytes) {
    auto text = content_of(path);
    const auto line = text.find('\n', text.size() - limit::worker_output_bytes);
    write_file(path, std::string_view{text}.substr(std::min(line + 1, text.size())),
               std::ios::trunc);
  }
}

} // namespace caf_app::eval
