#define CAF_SUITE file_finder_handler
#include "actors/http/file_finder_handler.hpp"
#include "actors/http/file_limits.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include <caf/test/unit_test.hpp>

#include "caf_app/base/error.hpp"
#include "caf_app/loop/output_queue.hpp"
#include "support/scratch_folder.hpp"

using namespace caf_app;
using namespace caf_app::http;
namespace fs = std::filesystem;

namespace {

struct tree {
  tree() {
    rules.root = folder / "root";
    fs::create_directories(rules.root);
    fs::create_directories(folder / "root-sibling");
    write("../secret", "secret");
    write("../root-sibling/secret", "secret");
  }

  void write(const std::string& name, std::string_view content) const {
    const fs::path path = rules.root + "/" + name;
    fs::create_directories(path.parent_path());
    std::ofstream{path, std::ios::binary} << content;
  }

  void link(const std::string& to, const std::string& name) const {
    fs::create_symlink(to, rules.root + "/" + name);
  }

  /// The content that a request for `below` gets, else the kind of what was found.
  std::string get(const std::string& below) const {
    const auto result = find_file(rules, below, below);
    switch (result.kind) {
      case found_kind::file: return *result.file->forms.front().content;
      case found_kind::page: return result.page;
      case found_kind::directory: return "(directory)";
      case found_kind::forbidden: return "(forbidden)";
      case found_kind::not_found: return "(not found)";
      case found_kind::busy: return "(busy)";
    }
    return {};
  }

  std::string type(const std::string& below) const {
    return find_file(rules, below, below).file->type;
  }

  scratch_folder folder;
  file_rules rules;
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(file_finder_handler_tests, tree)

  CAF_TEST(a file is found with its type and content) {
    write("a/b.html", "<p>");
    CAF_CHECK_EQUAL(get("/a/b.html"), "<p>");
    CAF_CHECK_EQUAL(type("/a/b.html"), "text/html; charset=utf-8");
    rules.types["html"] = "text/x";
    CAF_CHECK_EQUAL(type("/a/b.html"), "text/x");
  }

  CAF_TEST(names with odd bytes are found by their escapes) {
    write("a b%25\xc3\xa9", "odd");
    write("\xff", "bytes");
    CAF_CHECK_EQUAL(get("/a%20b%2525%C3%A9"), "odd");
    CAF_CHECK_EQUAL(get("/%FF"), "bytes");
    CAF_CHECK_EQUAL(get("/a%20b%25%C3%A9"), "(not found)");
  }

  CAF_TEST(nothing outside of the root is found by a link) {
    link("../secret", "up");
    link(folder / "secret", "absolute");
    link("../root-sibling", "sibling");
    link("/proc/self/root", "magic");
    link("a/../../secret", "winding");
    fs::create_directories(rules.root + "/a");
    for (const auto* name :
         {"/up", "/absolute", "/sibling/secret", "/magic/etc/passwd", "/winding"})
      CAF_CHECK_EQUAL(get(name), "(not found)");
  }

  CAF_TEST(nothing outside of the root is found by a path) {
    for (const auto* name : {"/../secret", "/a/../../secret", "/%2E%2E/secret", "/..%2Fsecret",
                             "-sibling/secret", "/../root-sibling/secret", "//secret/../secret"})
      CAF_CHECK_EQUAL(get(name), "(not found)");
  }

  CAF_TEST(links below the root are followed unless the route says no) {
    write("file", "content");
    fs::create_directories(rules.root + "/dir");
    link("../file", "dir/inner");
    link("dir", "folder");
    CAF_CHECK_EQUAL(get("/dir/inner"), "content");
    CAF_CHECK_EQUAL(get("/folder/inner"), "content");
    rules.symlinks = symlinks::none;
    CAF_CHECK_EQUAL(get("/dir/inner"), "(not found)");
    CAF_CHECK_EQUAL(get("/folder/inner"), "(not found)");
    CAF_CHECK_EQUAL(get("/file"), "content");
  }

  CAF_TEST(links in a circle end) {
    link("b", "a");
    link("a", "b");
    CAF_CHECK_EQUAL(get("/a"), "(not found)");
  }

  CAF_TEST(only regular files are served) {
    CAF_REQUIRE_EQUAL(::mkfifo((rules.root + "/fifo").c_str(), 0600), 0);
    const auto fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const auto path = rules.root + "/sock";
    std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
    CAF_REQUIRE_EQUAL(::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    CAF_CHECK_EQUAL(get("/fifo"), "(not found)"); // and nobody waits for its writer
    CAF_CHECK_EQUAL(get("/sock"), "(not found)");
    ::close(fd);
  }

  CAF_TEST(names with a dot are hidden unless the route says no) {
    write(".secret", "dot");
    write(".dir/file", "dot");
    for (const auto* name : {"/.secret", "/.dir/file", "/%2Esecret"})
      CAF_CHECK_EQUAL(get(name), "(not found)");
    rules.dotfiles = dotfiles::serve;
    CAF_CHECK_EQUAL(get("/.secret"), "dot");
    CAF_CHECK_EQUAL(get("/.dir/file"), "dot");
  }

  CAF_TEST(a directory answers with its index) {
    write("index.html", "root index");
    write("dir/index.html", "dir index");
    write("second/default.htm", "second choice");
    fs::create_directories(rules.root + "/taken/index.html");
    rules.index = {"index.html", "default.htm"};
    CAF_CHECK_EQUAL(get("/"), "root index");
    CAF_CHECK_EQUAL(get("/dir/"), "dir index");
    CAF_CHECK_EQUAL(get("/dir"), "(directory)");
    CAF_CHECK_EQUAL(get(""), "(directory)");
    CAF_CHECK_EQUAL(get("/second/"), "second choice");
    CAF_CHECK_EQUAL(get("/taken/"), "(forbidden)"); // its index is a directory
  }

  CAF_TEST(a file is no directory) {
    write("file", "content");
    CAF_CHECK_EQUAL(get("/file/"), "(not found)");
    CAF_CHECK_EQUAL(get("/file/more"), "(not found)");
  }

  CAF_TEST(a listing shows what would be served and nothing else) {
    write("dir/b<.txt", "123");
    write("dir/.hidden", "");
    write("dir/sub/x", "");
    link("../../secret", "dir/outside");
    link("b<.txt", "dir/inside");
    CAF_REQUIRE_EQUAL(::mkfifo((rules.root + "/dir/fifo").c_str(), 0600), 0);
    CAF_CHECK_EQUAL(get("/dir/"), "(forbidden)");
    rules.listing = true;
    const auto page = get("/dir/");
    const auto shows = [&](const char* text) { return page.find(text) != page.npos; };
    CAF_CHECK(shows("<a href=\"./b%3C.txt\">b&lt;.txt</a>"));
    CAF_CHECK(shows("<a href=\"./sub/\">sub/</a>"));
    CAF_CHECK(shows(">inside</a>"));
    CAF_CHECK(!shows("outside"));
    CAF_CHECK(!shows("hidden"));
    CAF_CHECK(!shows("fifo"));
  }

  CAF_TEST(what is not there is answered by the fallback) {
    rules.fallback = "app.html";
    CAF_CHECK_EQUAL(get("/nothing"), "(not found)");
    write("app.html", "app");
    CAF_CHECK_EQUAL(get("/nothing"), "app");
    CAF_CHECK_EQUAL(get("/.hidden"), "app");
    CAF_CHECK(find_file(rules, "/nothing", "").file->is_fallback);
    fs::create_directories(rules.root + "/dir");
    CAF_CHECK_EQUAL(get("/dir/"), "(forbidden)");
    CAF_CHECK_EQUAL(get("/dir"), "(directory)");
    fs::remove(rules.root + "/app.html");
    link("../secret", "app.html");
    CAF_CHECK_EQUAL(get("/nothing"), "(not found)");
  }

  CAF_TEST(siblings come in configured order and not older than the file) {
    write("a.css", "css");
    for (const auto* end : {".gz", ".br", ".zst"})
      write(std::string{"a.css"} + end, end);
    const auto old = fs::last_write_time(rules.root + "/a.css") - std::chrono::seconds{1};
    fs::last_write_time(rules.root + "/a.css.zst", old);
    rules.precompressed = {coding::gzip, coding::zstd, coding::br};
    const auto entry = find_file(rules, "/a.css", "").file;
    CAF_REQUIRE_EQUAL(entry->forms.size(), 3u);
    CAF_CHECK(entry->forms[1].facts.form == coding::gzip);
    CAF_CHECK(entry->forms[2].facts.form == coding::br);
    CAF_CHECK_EQUAL(*entry->form(coding::br).content, ".br");
    rules.precompressed.clear();
    CAF_CHECK_EQUAL(find_file(rules, "/a.css", "").file->forms.size(), 1u);
  }

  CAF_TEST(files are kept in memory up to a limit) {
    constexpr auto max = limits::http::file_memory_bytes;
    for (const auto size : {max - 1, max, max + 1}) {
      write("file", std::string(size, 'x'));
      const auto entry = find_file(rules, "/file", "").file;
      CAF_CHECK_EQUAL(entry->forms.front().facts.size, size);
      CAF_CHECK_EQUAL(entry->forms.front().content.has_value(), size <= max);
    }
  }

  CAF_TEST(a changed file is told from the one that was opened) {
    write("file", std::string(100'000, 'x'));
    const auto path = rules.root + "/file";
    const auto before = find_file(rules, "/file", "").file;
    CAF_CHECK(is_unchanged(before->forms.front()));
    fs::resize_file(path, 10);
    CAF_CHECK(!is_unchanged(before->forms.front()));
    CAF_CHECK(!read_whole(*before->forms.front().file, 100'000));
    CAF_CHECK_EQUAL(read_whole(*before->forms.front().file, 10)->size(), 10u);
    CAF_CHECK(!before->same_as(*find_file(rules, "/file", "").file));
  }

  CAF_TEST(a file that has just been written may change unseen) {
    write("file", "x");
    const auto first = find_file(rules, "/file", "").file;
    CAF_CHECK(first->forms.front().fresh);
    CAF_CHECK(!first->same_as(*first));
  }

  CAF_TEST(names up to the limits of the system are found) {
    const std::string longest(255, 'n');
    write(longest, "long");
    CAF_CHECK_EQUAL(get("/" + longest), "long");
    CAF_CHECK_EQUAL(get("/" + longest + "n"), "(not found)");
    std::string path;
    while (path.size() < 4200)
      path += "/d";
    CAF_CHECK_EQUAL(get(path), "(not found)");
  }

  CAF_TEST(without descriptors a server is busy) {
    write("file", "x");
    rlimit before{};
    ::getrlimit(RLIMIT_NOFILE, &before);
    const shared_file last{::open("/dev/null", O_RDONLY | O_CLOEXEC)};
    const rlimit none{static_cast<rlim_t>(last.fd()) + 1, before.rlim_max};
    CAF_REQUIRE_EQUAL(::setrlimit(RLIMIT_NOFILE, &none), 0);
    const auto answer = get("/file");
    ::setrlimit(RLIMIT_NOFILE, &before);
    CAF_CHECK_EQUAL(answer, "(busy)");
    CAF_CHECK_EQUAL(get("/file"), "x");
  }

  CAF_TEST(a root has to be a directory) {
    CAF_CHECK(!check_root(rules.root));
    write("file", "x");
    CAF_CHECK_EQUAL(code_of(check_root(rules.root + "/file")), errc::invalid_config);
    CAF_CHECK_EQUAL(code_of(check_root(rules.root + "/nothing")), errc::invalid_config);
  }

  CAF_TEST(a root may be replaced while it is served) {
    write("file", "old");
    fs::create_directories(folder / "next");
    std::ofstream{folder / "next/file"} << "new";
    CAF_CHECK_EQUAL(get("/file"), "old");
    fs::rename(rules.root, folder / "gone");
    CAF_CHECK_EQUAL(get("/file"), "(not found)");
    fs::rename(folder / "next", rules.root);
    CAF_CHECK_EQUAL(get("/file"), "new");
  }

  CAF_TEST_FIXTURE_SCOPE_END()
