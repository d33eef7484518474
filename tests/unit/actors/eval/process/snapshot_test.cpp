#define CAF_SUITE snapshot
#include "actors/eval/process/snapshot.hpp"

#include <filesystem>
#include <fstream>

#include <caf/test/unit_test.hpp>

#include <sys/stat.h>

#include "support/scratch_folder.hpp"

namespace fs = std::filesystem;
using namespace caf_app::eval;

namespace {

void put(const scratch_folder& folder, const std::string& path, const std::string& content = "x") {
  fs::create_directories(fs::path{folder / path}.parent_path());
  std::ofstream{folder / path} << content;
}

std::string shown(const std::variant<std::vector<source_file>, std::string>& result) {
  if (auto why = std::get_if<std::string>(&result))
    return "refused: " + *why;
  std::string text;
  for (auto& file : std::get<0>(result))
    text += file.path + "=" + file.content + " ";
  return text;
}

} // namespace

CAF_TEST(regular files are read with their paths in order) {
  scratch_folder folder;
  put(folder, "b.cpp", "1");
  put(folder, "a/c.hpp", "2");
  put(folder, "a/d/e", "");
  CAF_CHECK_EQUAL(shown(snapshot_folder(folder.path())), "a/c.hpp=2 a/d/e= b.cpp=1 ");
}

CAF_TEST(git and build folders are skipped at any depth) {
  scratch_folder folder;
  for (auto path : {".git/config", "a/.git", "build/x.o", "a/build/y.o", "out/CMakeCache.txt",
                    "out/z.o", "kept.cpp"})
    put(folder, path);
  CAF_CHECK_EQUAL(shown(snapshot_folder(folder.path())), "kept.cpp=x ");
}

CAF_TEST(links and special files are refused) {
  scratch_folder folder;
  put(folder, "a.cpp");
  fs::create_symlink("/etc/passwd", folder / "link");
  CAF_CHECK_EQUAL(shown(snapshot_folder(folder.path())),
                  "refused: link: links and special files are refused");
  fs::remove(folder / "link");
  CAF_REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
  CAF_CHECK_EQUAL(shown(snapshot_folder(folder.path())),
                  "refused: pipe: links and special files are refused");
}

CAF_TEST(a folder that is not there and names that cannot be used are refused) {
  scratch_folder folder;
  CAF_CHECK(shown(snapshot_folder(folder / "none")).starts_with("refused: "));
  put(folder, "bad\\name");
  CAF_CHECK_EQUAL(shown(snapshot_folder(folder.path())),
                  "refused: bad\\name: a name that cannot be used");
}

CAF_TEST(the total size is limited) {
  scratch_folder folder;
  put(folder, "a", "");
  put(folder, "b", "1");
  fs::resize_file(folder / "a", source_bytes_max - 1);
  CAF_CHECK(std::holds_alternative<std::vector<source_file>>(snapshot_folder(folder.path())));
  fs::resize_file(folder / "a", source_bytes_max);
  CAF_CHECK(std::holds_alternative<std::string>(snapshot_folder(folder.path())));
}
