#define CAF_SUITE fastcgi_script_handler
#include "actors/http/fastcgi_script_handler.hpp"

#include <filesystem>
#include <fstream>

#include <caf/test/unit_test.hpp>

#include "support/scratch_folder.hpp"

using namespace caf_app::http;
namespace fs = std::filesystem;

namespace {

struct tree {
  tree() {
    options.root = folder / "root";
    for (const auto* name :
         {"index.php", "a.php", "dir/index.php", "dir/b.php", "x.jpg", "plain.txt", "d.php/c.php",
          ".hidden.php", "front.php", "up loads/e.php", "a%41.php"}) {
      const fs::path path = options.root + "/" + name;
      fs::create_directories(path.parent_path());
      std::ofstream{path} << "x";
    }
    fs::create_directories(options.root + "/empty");
    std::ofstream{folder / "secret.php"} << "x";
    fs::create_symlink("../secret.php", options.root + "/link.php");
  }

  std::string find(const std::string& below) const {
    const auto script = find_script(options, below);
    switch (script.kind) {
      case fastcgi_script::outcome::found: return script.name + "|" + script.path_info;
      case fastcgi_script::outcome::not_found: return "404";
      case fastcgi_script::outcome::directory: return "301";
      case fastcgi_script::outcome::busy: return "503";
    }
    return {};
  }

  scratch_folder folder;
  fastcgi_options options;
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(fastcgi_script_handler_tests, tree)

  CAF_TEST(scripts are files with an extension) {
    CAF_CHECK_EQUAL(find("/a.php"), "a.php|");
    CAF_CHECK_EQUAL(find("/dir/b.php"), "dir/b.php|");
    CAF_CHECK_EQUAL(find("/up%20loads/e.php"), "up loads/e.php|");
    CAF_CHECK_EQUAL(find("/plain.txt"), "404");
    CAF_CHECK_EQUAL(find("/none.php"), "404");
    options.extensions = {".txt"};
    CAF_CHECK_EQUAL(find("/plain.txt"), "plain.txt|");
    CAF_CHECK_EQUAL(find("/a.php"), "404");
  }

CAF_TEST(what follows a script is for it) {
  CAF_CHECK_EQUAL(find("/a.php/more/of%20it"), "a.php|/more/of it");
  CAF_CHECK_EQUAL(find("/a.php/"), "a.php|/");
  CAF_CHECK_EQUAL(find("/a.php/b.php"), "a.php|/b.php");
  CAF_CHECK_EQUAL(find("/d.php/c.php/x"), "d.php/c.php|/x"); // a directory is no script
}

CAF_TEST(an upload cannot be run) {
  for (const auto* path : {"/x.jpg/y.php", "/x.jpg/.php", "/plain.txt/a.php", "/x.jpg%00.php",
                           "/a.php%0a", "/x.jpg/a.php/b"})
    CAF_CHECK_EQUAL(find(path), "404");
}

CAF_TEST(names are decoded once) {
  CAF_CHECK_EQUAL(find("/a%2541.php"), "a%41.php|");
  CAF_CHECK_EQUAL(find("/a.php/%2541"), "a.php|/%41");
}

CAF_TEST(nothing outside of the root and nothing hidden) {
  for (const auto* path : {"/link.php", "/../secret.php", "/%2E%2E/secret.php", "/.hidden.php"})
    CAF_CHECK_EQUAL(find(path), "404");
}

CAF_TEST(a directory has its index) {
  CAF_CHECK_EQUAL(find("/"), "index.php|");
  CAF_CHECK_EQUAL(find("/dir/"), "dir/index.php|");
  CAF_CHECK_EQUAL(find("/dir"), "301");
  CAF_CHECK_EQUAL(find("/empty/"), "404");
  options.index.clear();
  CAF_CHECK_EQUAL(find("/dir/"), "404");
}

CAF_TEST(the front script takes what is no file) {
  options.front = "front.php";
  CAF_CHECK_EQUAL(find("/pretty/path"), "front.php|/pretty/path");
  CAF_CHECK_EQUAL(find("/none.php"), "front.php|/none.php");
  CAF_CHECK_EQUAL(find("/a.php"), "a.php|");
  CAF_CHECK_EQUAL(find("/plain.txt"), "404"); // a file, but not for us
  CAF_CHECK_EQUAL(find("/bad%0apath"), "404");
}

CAF_TEST_FIXTURE_SCOPE_END()
