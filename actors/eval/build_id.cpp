#include "actors/eval/build_id.hpp"

#include "actors/eval/digest.hpp"
#include "actors/eval/signature.hpp"
#include "caf_app/eval/json_text.hpp"

namespace caf_app::eval {

namespace {

/// Blanks in a signature do not matter; one that cannot be read stands for itself.
std::string canonical_signature(const std::string& text) {
  auto parsed = parse_signature(text);
  auto good = std::get_if<signature>(&parsed);
  return good ? good->text() : text;
}

json describe(const function_declaration& function) {
  json result;
  result.add("name", function.name);
  result.add("header", function.header);
  result.add("function", function.function);
  result.add("signature", canonical_signature(function.signature));
  return result;
}

json describe(const graph_declaration& graph) {
  json result;
  result.add("name", graph.name);
  result.add("program", graph.program);
  json types{json::object{}};
  for (auto& [name, type] : graph.input_types)
    types.add(name, type);
  result.add("inputTypes", std::move(types));
  if (graph.output_type)
    result.add("outputType", *graph.output_type);
  result.add("cutoff", graph.cutoff);
  return result;
}

template <class List>
json describe_all(const List& list) {
  json::array items;
  for (auto& item : list)
    items.push_back(describe(item));
  return items;
}

} // namespace

json describe_source(const source_spec& source, const std::vector<source_file>& files) {
  json result;
  if (auto directory = std::get_if<directory_source>(&source)) {
    result.add("directory", directory->path);
  } else if (auto git = std::get_if<git_source>(&source)) {
    json commit;
    commit.add("url", git->url);
    commit.add("commit", git->commit);
    commit.add("branch", git->branch.empty() ? json{} : json{git->branch});
    commit.add("path", git->path.empty() ? json{} : json{git->path});
    result.add("git", std::move(commit));
  }
  json::array list;
  for (auto& file : files) {
    json item;
    item.add("path", file.path);
    item.add("bytes", file.content.size());
    item.add("sha256", sha256_hex(file.content));
    list.push_back(std::move(item));
  }
  result.add("files", std::move(list));
  return result;
}

std::string build_id_of(std::string_view salt, const declaration& request,
                        const std::vector<source_file>& files) {
  json canonical;
  canonical.add("salt", sha256_hex(salt));
  canonical.add("organisation", request.organisation);
  canonical.add("source", describe_source(request.source, files));
  canonical.add("functions", describe_all(request.functions));
  canonical.add("graphs", describe_all(request.graphs));
  return sha256_hex(canonical_text(canonical));
}

bool is_build_id(std::string_view text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

} // namespace caf_app::eval
