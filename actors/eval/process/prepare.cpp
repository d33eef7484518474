#include "actors/eval/process/prepare.hpp"

#include <fstream>
#include <optional>
#include <sstream>
#include <utility>

#include "actors/eval/access.hpp"
#include "actors/eval/build_id.hpp"
#include "actors/eval/process/snapshot.hpp"
#include "actors/eval/source_spec.hpp"
#include "caf_app/eval/json_text.hpp"

namespace caf_app::eval {

namespace {

prepared_build refused(uint16_t status, std::string why) {
  prepared_build result;
  result.status = status;
  result.fault = std::move(why);
  return result;
}

/// Brings files and folders; a commit is fetched later, and names its content already.
std::optional<std::string> take_files(prepared_build& to) {
  auto& source = to.declared.source;
  if (auto given = std::get_if<inline_source>(&source)) {
    to.files = std::exchange(given->files, {});
    return std::nullopt;
  }
  auto folder = std::get_if<directory_source>(&source);
  if (!folder)
    return std::nullopt;
  auto found = snapshot_folder(folder->path);
  if (auto why = std::get_if<std::string>(&found))
    return "source.directory: " + *why;
  to.files = std::get<0>(std::move(found));
  if (auto why = check_files(to.files))
    return "source.directory: " + *why;
  return std::nullopt;
}

} // namespace

void keep_request(const std::string& folder, const std::string& body) {
  std::ofstream file{folder + "/request.json", std::ios::binary | std::ios::trunc};
  file << body;
}

prepared_build prepare_again(const std::string& folder, const std::string& organisation,
                             std::string_view salt) {
  std::ifstream file{folder + "/request.json", std::ios::binary};
  std::ostringstream body;
  body << file.rdbuf();
  auto value = read_json(body.str());
  const auto* request = std::get_if<json>(&value);
  if (!file || !request)
    return refused(404, "what the build was made of is not kept");
  auto read = read_declaration(*request, local_sources::allowed);
  if (auto why = std::get_if<std::string>(&read))
    return refused(400, std::move(*why));
  prepared_build result;
  result.declared = std::get<declaration>(std::move(read));
  result.declared.organisation = organisation;
  auto& source = result.declared.source;
  const auto is_commit = std::holds_alternative<git_source>(source);
  if (auto given = std::get_if<inline_source>(&source)) {
    result.files = std::exchange(given->files, {});
  } else {
    auto kept = snapshot_folder(folder + "/source");
    if (auto why = std::get_if<std::string>(&kept))
      return refused(404, std::move(*why));
    result.files = std::get<0>(std::move(kept));
  }
  result.id =
      build_id_of(salt, result.declared, is_commit ? std::vector<source_file>{} : result.files);
  result.source = describe_source(source, result.files);
  return result;
}

prepared_build prepare_build(std::string_view body, const std::string& organisation,
                             local_sources local, std::string_view salt) {
  auto value = read_json(body);
  if (auto wrong = std::get_if<json_fault>(&value))
    return refused(400, "the body is no JSON: " + wrong->text + " (at byte " +
                            std::to_string(wrong->offset) + ")");
  auto& request = std::get<json>(value);
  auto read = read_declaration(request, local);
  if (auto why = std::get_if<std::string>(&read))
    return refused(400, std::move(*why));
  prepared_build result;
  result.declared = std::get<declaration>(std::move(read));
  const auto* binding = request.find("binding");
  const auto named = binding && binding->find("org_id");
  auto owner =
      organisation_of({organisation}, named ? result.declared.organisation : std::string{});
  if (!owner)
    return refused(403, "the token is of another organisation");
  result.declared.organisation = std::move(*owner);
  if (auto why = take_files(result))
    return refused(400, std::move(*why));
  result.id = build_id_of(salt, result.declared, result.files);
  result.source = describe_source(result.declared.source, result.files);
  return result;
}

} // namespace caf_app::eval
