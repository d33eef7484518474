#define CAF_SUITE effect_request
#include "actors/eval/process/effect_request.hpp"

#include <filesystem>
#include <fstream>

#include <caf/test/unit_test.hpp>

#include <sys/stat.h>

#include "actors/eval/eval_config.hpp"
#include "support/scratch_folder.hpp"

using namespace caf_app::eval;
namespace fs = std::filesystem;

namespace {

struct rig {
  rig() { scope.files_folder = folder.path() + "/files"; }

  std::string write(const std::string& path, const std::string& content) {
    json request;
    request.add("method", "write");
    request.add("path", path);
    request.add("content", content);
    return fault_of(perform_files(request, scope));
  }

  std::string read(const std::string& path) {
    json request;
    request.add("method", "read");
    request.add("path", path);
    const auto result = perform_files(request, scope);
    const auto* value = std::get_if<json>(&result);
    return value ? *value->find("content")->if_string() : "error: " + std::get<std::string>(result);
  }

  std::string get(const std::string& url) {
    json request;
    request.add("method", "GET");
    request.add("url", url);
    return fault_of(perform_http(request, scope));
  }

  static std::string fault_of(const effect_result& result) {
    const auto* why = std::get_if<std::string>(&result);
    return why ? *why : "fine";
  }

  fs::path own() const { return scope.files_folder + "/org/user"; }

  scratch_folder folder;
  effect_scope scope{"", "org", "user", {"example.org", "127.0.0.1", "[::1]"}, 7};
};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

} // namespace

CAF_TEST(what is written is read again and folders are made) {
  rig it;
  CAF_CHECK_EQUAL(it.write("a/b/c.txt", "one"), "fine");
  CAF_CHECK_EQUAL(it.read("a/b/c.txt"), "one");
  CAF_CHECK_EQUAL(it.write("a/b/c.txt", "two"), "fine");
  CAF_CHECK_EQUAL(it.read("a/b/c.txt"), "two");
  size_t files = 0;
  for (auto& entry : fs::recursive_directory_iterator{it.own()})
    files += entry.is_regular_file() ? 1 : 0;
  CAF_CHECK_EQUAL(files, 1u); // nothing temporary is left
}

CAF_TEST(users and organisations do not meet) {
  rig it;
  it.write("x", "mine");
  it.scope.user = "other";
  CAF_CHECK(it.read("x").starts_with("error: "));
  it.scope.user = "user";
  it.scope.organisation = "other";
  CAF_CHECK(it.read("x").starts_with("error: "));
  for (auto name : {"", "..", "a/b", "a b"}) {
    it.scope.organisation = name;
    CAF_CHECK(it.read("x").starts_with("error: files need a binding"));
  }
}

CAF_TEST(only plain relative paths are taken) {
  rig it;
  for (auto path : {"", "/etc/passwd", "..", "../x", "a/../b", "a//b", "./a", "a/", "a/."}) {
    CAF_CHECK(contains(it.read(path), "is not a relative path of plain components"));
    CAF_CHECK(contains(it.write(path, "x"), "is not a relative path of plain components"));
  }
}

CAF_TEST(links are not followed) {
  rig it;
  it.write("real", "x");
  fs::create_symlink("/etc/passwd", it.own() / "file");
  fs::create_directory_symlink("/etc", it.own() / "folder");
  CAF_CHECK(it.read("file").starts_with("error: "));
  CAF_CHECK(it.read("folder/passwd").starts_with("error: "));
  CAF_CHECK(it.write("folder/caf_app_escape", "x") != "fine");
  CAF_CHECK_EQUAL(it.write("file", "mine"), "fine"); // replaces the link
  CAF_CHECK(!fs::is_symlink(it.own() / "file"));
}

CAF_TEST(special files and folders are not read) {
  rig it;
  it.write("folder/x", "x");
  CAF_REQUIRE_EQUAL(::mkfifo((it.own() / "pipe").c_str(), 0600), 0);
  CAF_CHECK_EQUAL(it.read("pipe"), "error: pipe: not a regular file");
  CAF_CHECK_EQUAL(it.read("folder"), "error: folder: not a regular file");
  CAF_CHECK(it.write("folder", "x") != "fine");
}

CAF_TEST(sizes are limited both ways) {
  rig it;
  const size_t most = limit::file_effect_bytes_max;
  CAF_CHECK_EQUAL(it.write("below", std::string(most - 1, 'x')), "fine");
  CAF_CHECK_EQUAL(it.write("at", std::string(most, 'x')), "fine");
  CAF_CHECK_EQUAL(it.write("above", std::string(most + 1, 'x')), "above: more than 16777216 bytes");
  CAF_CHECK(!fs::exists(it.own() / "above"));
  CAF_CHECK_EQUAL(it.read("at").size(), most);
  std::ofstream{it.own() / "at", std::ios::app} << "y";
  CAF_CHECK_EQUAL(it.read("at"), "error: at: more than 16777216 bytes");
}

CAF_TEST(what is no text is not read) {
  rig it;
  it.write("x", "");
  CAF_CHECK_EQUAL(it.read("x"), "");
  std::ofstream{it.own() / "x"} << "\xFF";
  CAF_CHECK_EQUAL(it.read("x"), "error: x: not UTF-8");
}

CAF_TEST(URLs are checked before anything is resolved) {
  rig it;
  CAF_CHECK(contains(it.get("http://example.com/"), "does not name the host 'example.com'"));
  CAF_CHECK(contains(it.get("http://sub.example.org/"), "does not name the host"));
  CAF_CHECK(contains(it.get("http://example.org:8080/"), "port 8080 is not allowed"));
  CAF_CHECK(contains(it.get("ftp://example.org/"), "the scheme 'ftp' is not allowed"));
  CAF_CHECK(contains(it.get("file:///etc/passwd"), "the scheme 'file' is not allowed"));
  CAF_CHECK(contains(it.get("http://u:p@example.org/"), "credentials"));
  CAF_CHECK(contains(it.get("not a url"), "is no URL"));
}

CAF_TEST(addresses of this host are refused when it connects) {
  rig it;
  CAF_CHECK(contains(it.get("http://127.0.0.1/"), "not a public address"));
  CAF_CHECK(contains(it.get("http://[::1]/"), "not a public address"));
}
