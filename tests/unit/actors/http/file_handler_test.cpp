#define CAF_SUITE file_handler
#include "actors/http/file_handler.hpp"

#include <filesystem>
#include <fstream>

#include <zlib.h>

#include <caf/test/unit_test.hpp>

#include "caf_app/base/error.hpp"
#include "caf_app/loop/output_queue.hpp"
#include "support/http/fake_exchange.hpp"
#include "support/http/queued_workers.hpp"
#include "support/scratch_folder.hpp"

using namespace caf_app;
using namespace caf_app::http;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

struct world {
  world() : context(nullptr, std::make_shared<http_metrics>(books), nullptr, 0, now) {
    context.workers = workers;
    fs::create_directories(folder / "root");
    route.path = route.name = "/files";
    route.kind = route_kind::files;
    route.files.root = folder / "root";
    write("small.txt", "small content");
    write("large.bin", std::string(100'000, 'x'));
    write("page.html", text(2000));
    write("book.html", text(5000));
  }

  static std::string text(int lines) {
    std::string result;
    for (int i = 0; i < lines; ++i)
      result += "line " + std::to_string(i) + "\n";
    return result;
  }

  void write(const std::string& name, const std::string& content) {
    const auto path = folder / ("root/" + name);
    std::ofstream{path, std::ios::binary} << content;
    fs::last_write_time(path, fs::file_time_type::clock::now() - 1h);
  }

  void make(header_list headers = {}) {
    entry.emplace(make_entry(books, route, std::move(headers)));
    auto made = file_handler::make(*entry, ++handlers, "server");
    CAF_REQUIRE(made);
    handler = std::move(*made);
  }

  /// Begins a request. The result answers at once or after steps of the workers.
  struct request_in_flight {
    fake_exchange open;
    field_list fields;
    std::unique_ptr<exchange_task> task;
  };

  std::unique_ptr<request_in_flight>
  begin(std::string_view below,
        std::vector<std::pair<std::string_view, std::string_view>> lines = {},
        method what = method::get) {
    if (!handler)
      make();
    auto result = std::make_unique<request_in_flight>();
    for (const auto& [name, value] : lines)
      result->fields.push_back({name, value, find_known_field(name)});
    auto& view = result->open.view;
    view.method = what;
    path = "/files" + std::string{below};
    view.path = path;
    view.below = below;
    view.query = "q=1";
    view.fields = &result->fields;
    result->open.entry = &*entry;
    result->open.loop = &context;
    result->open.number = ++exchanges;
    result->task = handler->start(result->open);
    CAF_CHECK_EQUAL(result->task == nullptr, result->open.given.has_value());
    return result;
  }

  std::unique_ptr<request_in_flight>
  get(std::string_view below, std::vector<std::pair<std::string_view, std::string_view>> lines = {},
      method what = method::get) {
    auto result = begin(below, std::move(lines), what);
    while (!result->open.given && workers->step()) {
    }
    CAF_REQUIRE(result->open.given);
    return result;
  }

  static std::string unzip(const std::string& zipped) {
    std::string result(1 << 20, '\0');
    z_stream stream{};
    inflateInit2(&stream, 31);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(zipped.data()));
    stream.avail_in = static_cast<uInt>(zipped.size());
    stream.next_out = reinterpret_cast<Bytef*>(result.data());
    stream.avail_out = static_cast<uInt>(result.size());
    CAF_CHECK_EQUAL(inflate(&stream, Z_FINISH), Z_STREAM_END);
    result.resize(stream.total_out);
    inflateEnd(&stream);
    return result;
  }

  steady::time_point now{1h};
  scratch_folder folder;
  metrics books;
  loop_context context;
  std::shared_ptr<queued_workers> workers = std::make_shared<queued_workers>();
  http_route route;
  std::optional<route_entry> entry;
  std::unique_ptr<route_handler> handler;
  std::string path;
  uint64_t handlers = 0;
  uint64_t exchanges = 0;
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(file_handler_tests, world)

CAF_TEST(a cold file waits for a worker and a warm one does not) {
  const auto first = begin("/small.txt");
  CAF_CHECK(first->task);
  CAF_CHECK_EQUAL(workers->jobs.size(), 1u);
  workers->step();
  CAF_CHECK_EQUAL(first->open.given->status, 200u);
  CAF_CHECK_EQUAL(first->open.given->body, "small content");
  CAF_CHECK_EQUAL(first->open.answered_field("content-type"), "text/plain; charset=utf-8");
  for (int i = 0; i < 3; ++i) {
    const auto warm = begin("/small.txt");
    CAF_CHECK(!warm->task);
    CAF_CHECK_EQUAL(warm->open.given->body, "small content");
    CAF_CHECK_EQUAL(warm->open.answered_field("etag"), first->open.answered_field("etag"));
  }
  CAF_CHECK(workers->jobs.empty());
}

CAF_TEST(a file is looked at again after a second) {
  get("/small.txt");
  now += 1s - 1ns;
  CAF_CHECK(!begin("/small.txt")->task);
  now += 1ns;
  write("small.txt", "changed");
  const auto late = get("/small.txt");
  CAF_CHECK_EQUAL(late->open.given->body, "changed");
}

CAF_TEST(one search serves all who wait) {
  const auto first = begin("/small.txt");
  const auto second = begin("/small.txt", {{"range", "bytes=0-4"}});
  auto third = begin("/small.txt");
  const auto head = begin("/small.txt", {}, method::head);
  CAF_CHECK_EQUAL(workers->jobs.size(), 1u);
  third->task.reset(); // its client is gone
  workers->step();
  CAF_CHECK_EQUAL(first->open.given->body, "small content");
  CAF_CHECK_EQUAL(second->open.given->status, 206u);
  CAF_CHECK_EQUAL(second->open.given->body, "small");
  CAF_CHECK(!third->open.given);
  CAF_CHECK_EQUAL(head->open.given->status, 200u);
}

CAF_TEST(a large file is sent from its descriptor) {
  const auto whole = get("/large.bin");
  CAF_CHECK_EQUAL(whole->open.given->body, "[0+100000]");
  CAF_CHECK(whole->open.parts.front().file->fd() >= 0);
  const auto part = get("/large.bin", {{"range", "bytes=5-9"}});
  CAF_CHECK_EQUAL(part->open.given->body, "[5+5]");
  CAF_CHECK_EQUAL(part->open.answered_field("content-range"), "bytes 5-9/100000");
  const auto parts = get("/large.bin", {{"range", "bytes=0-1,7-8"}});
  CAF_CHECK_EQUAL(parts->open.parts.size(), 3u);
  const auto head = get("/large.bin", {}, method::head);
  CAF_CHECK_EQUAL(head->open.given->body, "[0+100000]"); // for its length; the session sends none
}

CAF_TEST(a file that has changed since it was opened is opened again) {
  get("/large.bin");
  write("large.bin", std::string(50'000, 'y'));
  const auto next = begin("/large.bin");
  CAF_CHECK(next->task);
  workers->step();
  CAF_CHECK_EQUAL(next->open.given->body, "[0+50000]");
}

CAF_TEST(conditions are answered without content) {
  const auto tag = get("/small.txt")->open.answered_field("etag");
  const auto same = get("/small.txt", {{"if-none-match", tag}});
  CAF_CHECK_EQUAL(same->open.given->status, 304u);
  CAF_CHECK_EQUAL(same->open.answered_field("etag"), tag);
  CAF_CHECK(same->open.given->body.empty());
  CAF_CHECK_EQUAL(get("/small.txt", {{"if-match", "\"x\""}})->open.given->status, 412u);
  const auto beyond = get("/small.txt", {{"range", "bytes=99-"}});
  CAF_CHECK_EQUAL(beyond->open.given->status, 416u);
  CAF_CHECK_EQUAL(beyond->open.answered_field("content-range"), "bytes */13");
}

CAF_TEST(text is compressed once and then kept) {
  const auto small = get("/page.html", {{"accept-encoding", "gzip"}}); // on the loop
  CAF_CHECK_EQUAL(small->open.answered_field("content-encoding"), "gzip");
  CAF_CHECK_EQUAL(small->open.answered_field("vary"), "Accept-Encoding");
  CAF_CHECK_EQUAL(unzip(small->open.given->body), text(2000));
  CAF_CHECK(!begin("/page.html", {{"accept-encoding", "gzip"}})->task);
  const auto large = begin("/book.html", {{"accept-encoding", "gzip"}});
  workers->step(); // found
  CAF_CHECK(!large->open.given);
  const auto other = begin("/book.html", {{"accept-encoding", "gzip"}});
  CAF_CHECK_EQUAL(workers->jobs.size(), 1u); // both wait for one compression
  workers->step();
  CAF_CHECK_EQUAL(unzip(large->open.given->body), text(5000));
  CAF_CHECK_EQUAL(other->open.given->body, large->open.given->body);
  CAF_CHECK_EQUAL(large->open.answered_field("etag").substr(0, 2), "W/");
  CAF_CHECK(!begin("/book.html", {{"accept-encoding", "gzip"}})->task);
  CAF_CHECK(begin("/book.html", {{"accept-encoding", "br"}})->task);
}

CAF_TEST(a route may leave compression out) {
  route.compress = false;
  const auto plain = get("/page.html", {{"accept-encoding", "gzip"}});
  CAF_CHECK_EQUAL(plain->open.answered_field("content-encoding"), "");
  CAF_CHECK_EQUAL(plain->open.answered_field("vary"), "");
}

CAF_TEST(what cannot be served says why) {
  fs::create_directories(folder / "root/dir");
  const auto status = [&](std::string_view below) { return get(below)->open.given->status; };
  CAF_CHECK_EQUAL(status("/nothing"), 404u);
  CAF_CHECK_EQUAL(status("/dir/"), 403u);
  CAF_CHECK_EQUAL(get("/dir")->open.answered_field("location"), "/files/dir/?q=1");
  CAF_CHECK_EQUAL(get("/dir", {}, method::head)->open.given->status, 301u);
  CAF_CHECK_EQUAL(status("/.hidden"), 404u);
}

CAF_TEST(other methods are refused) {
  for (const auto what : {method::post, method::put, method::delete_, method::options}) {
    const auto refused = get("/small.txt", {}, what);
    CAF_CHECK_EQUAL(refused->open.given->status, 405u);
    CAF_CHECK_EQUAL(refused->open.answered_field("allow"), "GET, HEAD, OPTIONS");
  }
}

CAF_TEST(fields of the route are set once on every answer) {
  route.max_age = 60s;
  make({{"X-A", "1"}, {"ETag", "own"}});
  for (int i = 0; i < 2; ++i) {
    const auto answer = get("/small.txt");
    CAF_CHECK_EQUAL(answer->open.answered_field("x-a"), "1");
    CAF_CHECK_EQUAL(answer->open.answered_field("cache-control"), "max-age=60");
    const auto& fields = answer->open.given->fields;
    CAF_CHECK_EQUAL(
        std::count_if(fields.begin(), fields.end(),
                      [](const auto& line) { return equals_ignoring_case(line.first, "etag"); }),
        1);
  }
  CAF_CHECK_EQUAL(get("/nothing")->open.answered_field("x-a"), "1");
  CAF_CHECK_EQUAL(get("/large.bin")->open.answered_field("x-a"), "1");
}

CAF_TEST(simple answers do not mix clients up) {
  get("/page.html");
  get("/page.html", {{"accept-encoding", "gzip"}});
  for (int i = 0; i < 2; ++i) {
    CAF_CHECK_EQUAL(get("/page.html")->open.answered_field("content-encoding"), "");
    CAF_CHECK_EQUAL(
        get("/page.html", {{"accept-encoding", "br"}})->open.answered_field("content-encoding"),
        "br");
    CAF_CHECK_EQUAL(
        get("/page.html", {{"accept-encoding", "gzip"}})->open.answered_field("content-encoding"),
        "gzip");
    CAF_CHECK_EQUAL(get("/page.html", {{"if-none-match", "*"}})->open.given->status, 304u);
  }
}

CAF_TEST(a new handler does not see the files of an old one) {
  get("/small.txt");
  route.files.root = folder / "other";
  fs::create_directories(route.files.root);
  make();
  CAF_CHECK_EQUAL(get("/small.txt")->open.given->status, 404u);
}

CAF_TEST(a root has to exist) {
  route.files.root = folder / "nowhere";
  const auto which = make_entry(books, route);
  const auto made = file_handler::make(which, 1, "");
  CAF_REQUIRE(!made);
  CAF_CHECK_EQUAL(code_of(made.error()), errc::invalid_config);
}

CAF_TEST_FIXTURE_SCOPE_END()
