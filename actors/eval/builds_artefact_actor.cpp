// Drivers from and for other eval nodes: what a node lacks it copies from one that has it.
#include "actors/eval/builds_actor.hpp"

#include <filesystem>
#include <fstream>

#include "actors/eval/build_id.hpp"
#include "actors/eval/digest.hpp"
#include "actors/eval/process/file_content.hpp"
#include "caf_app/eval/json_text.hpp"

namespace caf_app::eval {

namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds chunk_timeout{5};

bool write_program(const std::string& path, const std::string& content) {
  const auto temporary = path + ".new";
  {
    std::ofstream file{temporary, std::ios::binary | std::ios::trunc};
    file.write(content.data(), static_cast<std::streamsize>(content.size()));
    if (!file.flush().good())
      return false;
  }
  std::error_code ec;
  fs::permissions(temporary, fs::perms::owner_all, ec);
  fs::rename(temporary, path, ec);
  return !ec;
}

} // namespace

/// A piece of a driver that is ready here; without bytes if there is none.
eval_artefact_chunk builds_actor::give(const eval_artefact_request& request) {
  eval_artefact_chunk result;
  const auto found = known_.find(request.build);
  if (found == known_.end() || found->second.state != build_state::ready)
    return result;
  auto piece = store_.driver_piece(request.build, request.offset, artefact_chunk_bytes);
  if (piece.total_bytes == 0) {
    make_again(request.build);
    return result; // for the next one that asks
  }
  if (request.offset == 0) {
    result.record = to_text(to_record(found->second));
    result.sha256 = sha256_hex(content_of(store_.folder_of(request.build) + "/driver"));
  }
  result.total = piece.total_bytes;
  result.offset = std::min(request.offset, piece.total_bytes);
  result.bytes = std::move(piece.bytes);
  return result;
}

/// Answers `find_build` for a build whose driver is not here: asks the others, then makes it again.
caf::result<found_build> builds_actor::find_elsewhere(const std::string& id) {
  auto promise = make_response_promise<caf::typed_response_promise<found_build>>();
  if (const auto found = finders_.find(id); found != finders_.end()) {
    found->second.push_back(promise); // it is being made
    return promise;
  }
  auto& copy = copies_[id];
  copy.promises.push_back(promise);
  if (copy.promises.size() > 1)
    return promise; // it is on its way
  copy.peers = peers();
  ask_peer(id);
  return promise;
}

/// The dispatchers of the other eval nodes.
std::vector<caf::actor> builds_actor::peers() const {
  const std::string prefix = "eval.";
  std::vector<caf::actor> result;
  for (auto& one : options_->names->names(prefix, ask_now()))
    if (one.name != prefix + options_->node)
      if (auto dispatcher = options_->names->where_is(one.name))
        result.push_back(std::move(dispatcher));
  return result;
}

void builds_actor::ask_peer(const std::string& id) {
  auto& copy = copies_.at(id);
  const auto offset = copy.assembly ? copy.assembly->next_offset() : 0;
  if (copy.peers.empty())
    return end_copy(id);
  ask(copy.peers.back(), chunk_timeout, eval_artefact_request{id, offset})
      .then([this, id = std::string{id}](eval_artefact_chunk& chunk) { take_chunk(id, chunk); },
            [this, id = std::string{id}](caf::error&) { next_peer(id); });
}

void builds_actor::next_peer(const std::string& id) {
  auto& copy = copies_.at(id);
  copy.peers.pop_back();
  copy.assembly.reset();
  ask_peer(id);
}

void builds_actor::take_chunk(const std::string& id, eval_artefact_chunk& chunk) {
  auto& copy = copies_.at(id);
  if (chunk.bytes.empty())
    return next_peer(id);
  if (chunk.offset == 0) {
    copy.record = std::move(chunk.record);
    copy.assembly.emplace(chunk.total, std::move(chunk.sha256));
  }
  if (!copy.assembly)
    return next_peer(id);
  if (auto why = copy.assembly->feed(chunk.offset, chunk.bytes)) {
    options_->log->warning(speaker_of(this), "a driver from another node is refused",
                           {{"build", id}, {"reason", *why}});
    return next_peer(id);
  }
  if (!copy.assembly->complete())
    return ask_peer(id);
  if (!keep_copy(id, copy))
    return next_peer(id);
  end_copy(id);
}

/// Puts a driver that came whole into the store.
bool builds_actor::keep_copy(const std::string& id, const driver_copy& copy) {
  const auto value = read_json(copy.record, json_depth_max + envelope_depth_max);
  const auto* parsed = std::get_if<json>(&value);
  auto status = parsed ? read_record(*parsed) : std::nullopt;
  if (!status || status->id != id || status->state != build_state::ready || !store_.put(*status) ||
      !write_program(store_.folder_of(id) + "/driver", copy.assembly->content()))
    return false;
  known_[id] = std::move(*status);
  make_room();
  return true;
}

void builds_actor::end_copy(const std::string& id) {
  auto copy = copies_.extract(id);
  auto& promises = copy.mapped().promises;
  if (lacks_driver(id)) {
    auto& waiting = finders_[id];
    waiting.insert(waiting.end(), promises.begin(), promises.end());
    return make_again(id);
  }
  for (auto& promise : promises)
    promise.deliver(find_here(id));
}

// -- lost drivers -------------------------------------------------------------------------------

/// Whether a build is ready, but somebody has removed its driver.
bool builds_actor::lacks_driver(const std::string& id) const {
  const auto found = known_.find(id);
  std::error_code ec;
  return found != known_.end() && found->second.state == build_state::ready &&
         !fs::exists(store_.folder_of(id) + "/driver", ec);
}

/// Builds once more what the folder of a build says.
void builds_actor::make_again(const std::string& id) {
  if (running_.count(id) > 0 || !lacks_driver(id))
    return answer_finders(id);
  for (const auto& [job, other] : made_again_)
    if (other == id)
      return;
  const auto job = ++last_job_;
  made_again_.emplace(job, id);
  run_job(job, [job, folder = store_.folder_of(id), organisation = known_.at(id).organisation,
                salt = store_.salt()] {
    return build_prepared{
        job, std::make_shared<prepared_build>(prepare_again(folder, organisation, salt))};
  });
}

void builds_actor::on_made_again(const std::string& id, build_prepared& done) {
  if (!lacks_driver(id))
    return answer_finders(id);
  if (done.result->status == 200 && done.result->id == id) {
    options_->log->warning(speaker_of(this), "a driver is lost: made again", {{"build", id}});
    posting nobody;
    return begin(std::move(done.result), nobody);
  }
  auto& status = known_.at(id);
  status.state = build_state::failed; // so that posting it builds it
  status.error = "the driver is lost";
  store_.put(status);
  answer_finders(id);
}

void builds_actor::answer_finders(const std::string& id) {
  auto waiting = finders_.extract(id);
  if (!waiting.empty())
    for (auto& promise : waiting.mapped())
      promise.deliver(find_here(id));
}

} // namespace caf_app::eval
