#define CAF_SUITE cache_policy
#include "actors/http/cache_policy.hpp"

#include <caf/test/unit_test.hpp>

#include "support/http/cache_fixture.hpp"

using namespace caf_app;
using namespace caf_app::http;
using namespace std::chrono_literals;

namespace {

cache_request ask(std::string_view fields, method what = method::get) {
  const field_text lines{fields};
  return read_cache_request(what, lines.list());
}

struct store_case {
  const char* response;
  const char* request;
  uint16_t status;
  const char* verdict;
};

// RFC 9111 §3, §3.5, §4.2.1, §5.2
const store_case store_cases[] = {
    {"Cache-Control: max-age=60", "", 200, "store"},
    {"Cache-Control: s-maxage=60", "", 200, "store"},
    {"Cache-Control: public\nETag: \"a\"", "", 200, "store"},
    {"Expires: <60>", "", 200, "store"},
    {"Last-Modified: <-1000>", "", 200, "store"},
    {"ETag: \"a\"", "", 200, "store"},
    {"", "", 200, "no-freshness"},
    {"Cache-Control: max-age=0", "", 200, "no-freshness"},
    {"Cache-Control: max-age=0\nETag: \"a\"", "", 200, "store"},
    {"Cache-Control: max-age=0, stale-while-revalidate=9", "", 200, "store"},
    {"Cache-Control: max-age=0, stale-if-error=9", "", 200, "store"},
    {"Cache-Control: no-cache\nETag: \"a\"", "", 200, "store"},
    {"Cache-Control: no-store, max-age=60", "", 200, "no-store"},
    {"Cache-Control: max-age=60\nCache-Control: no-store", "", 200, "no-store"},
    {"Cache-Control: private, max-age=60", "", 200, "private"},
    {"Cache-Control: private=\"x\", max-age=60", "", 200, "private"},
    {"Cache-Control: max-age=60\nSet-Cookie: a=b", "", 200, "set-cookie"},
    {"Cache-Control: public, max-age=60\nSet-Cookie: a=b", "", 200, "set-cookie"},
    {"Cache-Control: max-age=60\nVary: *", "", 200, "vary"},
    {"Cache-Control: max-age=60\nVary: Accept, *", "", 200, "vary"},
    {"Cache-Control: max-age=60\nVary: Accept", "", 200, "store"},
    {"Cache-Control: max-age=60", "Cache-Control: no-store", 200, "no-store"},
    {"Cache-Control: max-age=60", "Cache-Control: no-cache", 200, "store"},
    {"Cache-Control: max-age=60", "Authorization: Basic x", 200, "authorization"},
    {"Cache-Control: public, max-age=60", "Authorization: Basic x", 200, "store"},
    {"Cache-Control: must-revalidate, max-age=60", "Authorization: Basic x", 200, "store"},
    {"Cache-Control: s-maxage=60", "Authorization: Basic x", 200, "store"},
    {"Cache-Control: max-age=60", "Cookie: a=b", 200, "store"},
    {"Cache-Control: max-age=60", "", 203, "store"},
    {"Cache-Control: max-age=60", "", 204, "store"},
    {"Cache-Control: max-age=60", "", 206, "status"},
    {"Cache-Control: max-age=60", "", 304, "status"},
    {"Cache-Control: max-age=60", "", 412, "status"},
    {"Cache-Control: max-age=60", "", 416, "status"},
    {"Cache-Control: max-age=60", "", 101, "status"},
    {"Cache-Control: max-age=60", "", 302, "store"},
    {"Last-Modified: <-1000>", "", 302, "status"},
    {"Cache-Control: public\nLast-Modified: <-1000>", "", 302, "store"},
    {"Last-Modified: <-1000>", "", 301, "store"},
    {"Last-Modified: <-1000>", "", 308, "store"},
    {"Last-Modified: <-1000>", "", 404, "store"},
    {"Last-Modified: <-1000>", "", 410, "store"},
    {"Last-Modified: <-1000>", "", 501, "store"},
    {"Last-Modified: <-1000>", "", 500, "status"},
    {"Last-Modified: <-1000>", "", 403, "status"},
    {"Cache-Control: max-age=60", "", 500, "store"},
    {"Cache-Control: no-store, must-understand, max-age=60", "", 200, "store"},
    {"Cache-Control: no-store, must-understand, max-age=60", "", 299, "status"},
};

struct use_case {
  const char* response;
  const char* request;
  int64_t after; // seconds
  cache_use wanted;
};

constexpr auto fresh = cache_use::fresh;
constexpr auto stale = cache_use::stale;
constexpr auto refresh = cache_use::refresh;
constexpr auto revalidate = cache_use::revalidate;

// RFC 9111 §4.2, §5.2.1, RFC 5861 §3
const use_case use_cases[] = {
    {"Cache-Control: max-age=60", "", 0, fresh},
    {"Cache-Control: max-age=60", "", 59, fresh},
    {"Cache-Control: max-age=60", "", 60, revalidate},
    {"Cache-Control: max-age=60\nAge: 50", "", 9, fresh},
    {"Cache-Control: max-age=60\nAge: 50", "", 10, revalidate},
    {"Cache-Control: max-age=60\nAge: 50, 3", "", 10, revalidate},
    {"Cache-Control: max-age=60\nAge: x", "", 59, fresh},
    {"Cache-Control: max-age=60\nDate: <-50>", "", 10, revalidate}, // apparent age
    {"Cache-Control: max-age=60\nDate: <50>", "", 59, fresh},
    {"Cache-Control: max-age=10, s-maxage=60", "", 59, fresh},
    {"Cache-Control: max-age=60, s-maxage=10", "", 10, revalidate},
    {"Cache-Control: max-age=10\nExpires: <60>", "", 10, revalidate},
    {"Date: <0>\nExpires: <60>", "", 59, fresh},
    {"Date: <0>\nExpires: <60>", "", 60, revalidate},
    {"Date: <-100>\nExpires: <60>", "", 59, fresh}, // 160 from its Date, 100 old
    {"Expires: 0", "", 0, revalidate},
    {"Expires: <60>\nExpires: <60>", "", 0, revalidate},
    {"Date: <0>\nExpires: <-30>", "", 0, revalidate},
    {"Date: <0>\nExpires: <-30>", "Cache-Control: max-stale=30", 0, stale}, // it ended 30 s ago
    {"Date: <0>\nExpires: <-30>", "Cache-Control: max-stale=30", 1, revalidate},
    {"Date: <0>\nExpires: <-30>", "Cache-Control: max-stale=29", 0, revalidate},
    {"Date: <0>\nExpires: <-30>", "Cache-Control: max-stale", 0, stale},
    {"Expires: <-30>", "Cache-Control: max-stale=30", 1, revalidate},
    {"Date: <-20>\nExpires: <-30>", "Cache-Control: max-stale=30", 0, stale},
    {"Date: <-20>\nExpires: <-30>", "Cache-Control: max-stale=30", 1, revalidate},
    {"Date: <0>\nExpires: <-30>\nAge: 5", "Cache-Control: max-stale=34", 0, revalidate},
    {"Expires: 0", "Cache-Control: max-stale=5", 5, stale}, // nobody says when it ended
    {"Expires: 0", "Cache-Control: max-stale=5", 6, revalidate},
    {"Expires: Thu, 01 Jan 1970 00:00:00 GMT", "Cache-Control: max-stale=2147483648", 0, stale},
    {"Expires: Thu, 01 Jan 1970 00:00:00 GMT", "Cache-Control: max-stale=31536000", 0, revalidate},
    {"Cache-Control: max-age=60\nExpires: <-30>", "", 59, fresh},
    {"Cache-Control: max-age=x\nExpires: <60>", "", 0, revalidate},
    {"Last-Modified: <-1000>", "", 99, fresh},
    {"Last-Modified: <-1000>", "", 100, revalidate},
    {"Last-Modified: <-100000000>", "", 86'399, fresh},
    {"Last-Modified: <-100000000>", "", 86'400, revalidate},
    {"Last-Modified: <10>", "", 0, revalidate},
    {"Last-Modified: yesterday", "", 0, revalidate},
    {"Cache-Control: no-cache, max-age=60", "", 0, revalidate},
    {"Cache-Control: max-age=60", "Cache-Control: no-cache", 0, revalidate},
    {"Cache-Control: max-age=60", "Cache-Control: max-age=0", 0, revalidate},
    {"Cache-Control: max-age=60", "Cache-Control: max-age=10", 10, fresh},
    {"Cache-Control: max-age=60", "Cache-Control: max-age=10", 11, revalidate},
    {"Cache-Control: max-age=60", "Cache-Control: min-fresh=20", 40, fresh},
    {"Cache-Control: max-age=60", "Cache-Control: min-fresh=20", 41, revalidate},
    {"Cache-Control: max-age=60", "Cache-Control: max-stale", 9'999, stale},
    {"Cache-Control: max-age=60", "Cache-Control: max-stale=5", 65, stale},
    {"Cache-Control: max-age=60", "Cache-Control: max-stale=5", 66, revalidate},
    {"Cache-Control: max-age=60, must-revalidate", "Cache-Control: max-stale", 60, revalidate},
    {"Cache-Control: max-age=60, proxy-revalidate", "Cache-Control: max-stale", 60, revalidate},
    {"Cache-Control: s-maxage=60", "Cache-Control: max-stale", 60, revalidate},
    {"Cache-Control: max-age=60, stale-while-revalidate=5", "", 59, fresh},
    {"Cache-Control: max-age=60, stale-while-revalidate=5", "", 60, refresh},
    {"Cache-Control: max-age=60, stale-while-revalidate=5", "", 64, refresh},
    {"Cache-Control: max-age=60, stale-while-revalidate=5", "", 65, revalidate},
    {"Date: <0>\nExpires: <-3>\nCache-Control: stale-while-revalidate=5", "", 1, refresh},
    {"Date: <0>\nExpires: <-3>\nCache-Control: stale-while-revalidate=5", "", 2, revalidate},
    {"Cache-Control: max-age=60, stale-while-revalidate=5, must-revalidate", "", 60, revalidate},
    {"Cache-Control: max-age=60, stale-while-revalidate=5", "Cache-Control: no-cache", 60,
     revalidate},
    {"Cache-Control: max-age=60, stale-while-revalidate=5", "Cache-Control: min-fresh=1", 60,
     revalidate},
    {"Cache-Control: max-age=60", "Cache-Control: no-store", 0, fresh},
};

} // namespace

CAF_TEST(what is stored) {
  for (const auto& row : store_cases) {
    CAF_MESSAGE(row.response << " | " << row.request << " | " << row.status);
    const auto entry = entry_from(row.response, row.request, row.status);
    const std::string verdict{to_string(may_store(ask(row.request), entry))};
    CAF_CHECK_EQUAL(verdict, row.verdict);
  }
}

CAF_TEST(only answers to GET are stored) {
  const auto entry = entry_from("Cache-Control: max-age=60");
  for (const auto what : {method::head, method::post, method::put, method::delete_})
    CAF_CHECK(may_store(ask("", what), entry) == store_verdict::method);
}

CAF_TEST(what may be used when) {
  for (const auto& row : use_cases) {
    CAF_MESSAGE(row.response << " | " << row.request << " | " << row.after);
    const auto entry = entry_from(row.response);
    const auto use =
        use_of(entry, ask(row.request), {}, steady_start + std::chrono::seconds{row.after});
    CAF_CHECK(use == row.wanted);
  }
}

CAF_TEST(an operator may allow stale responses) {
  cache_rules rules;
  rules.stale_while_revalidate = 5s;
  const auto entry = entry_from("Cache-Control: max-age=60");
  CAF_CHECK(use_of(entry, ask(""), rules, steady_start + 64s) == refresh);
  CAF_CHECK(use_of(entry, ask(""), rules, steady_start + 65s) == revalidate);
  const auto own = entry_from("Cache-Control: max-age=60, stale-while-revalidate=1");
  CAF_CHECK(use_of(own, ask(""), rules, steady_start + 61s) == revalidate);
}

CAF_TEST(a share of the age counts where nothing is said) {
  cache_rules rules;
  rules.heuristic = 0.5;
  rules.heuristic_max = 100s;
  CAF_CHECK_EQUAL(entry_from("Last-Modified: <-100>", "", 200, rules).lifetime.count(), 50);
  CAF_CHECK_EQUAL(entry_from("Last-Modified: <-1000>", "", 200, rules).lifetime.count(), 100);
  rules.heuristic = 0;
  CAF_CHECK_EQUAL(entry_from("Last-Modified: <-1000>", "", 200, rules).lifetime.count(), 0);
}

CAF_TEST(a stale response may stand in for an error) {
  const auto after = [](int64_t seconds) { return steady_start + std::chrono::seconds{seconds}; };
  const auto one = entry_from("Cache-Control: max-age=60, stale-if-error=10");
  CAF_CHECK(may_replace_error(one, ask(""), {}, after(69)));
  CAF_CHECK(!may_replace_error(one, ask(""), {}, after(70)));
  CAF_CHECK(!may_replace_error(one, ask("Cache-Control: no-cache"), {}, after(61)));
  const auto ended = entry_from("Date: <0>\nExpires: <-3>\nCache-Control: stale-if-error=10");
  CAF_CHECK(may_replace_error(ended, ask(""), {}, after(6)));
  CAF_CHECK(!may_replace_error(ended, ask(""), {}, after(7)));
  CAF_CHECK(may_replace_error(one, ask("Cache-Control: stale-if-error=20"), {}, after(75)));
  cache_rules rules;
  rules.stale_if_error = 10s;
  CAF_CHECK(may_replace_error(entry_from("Cache-Control: max-age=60"), ask(""), rules, after(69)));
  CAF_CHECK(!may_replace_error(entry_from("Cache-Control: max-age=60"), ask(""), {}, after(61)));
  for (const auto* strict : {"must-revalidate", "proxy-revalidate", "s-maxage=60", "no-cache"})
    CAF_CHECK(!may_replace_error(
        entry_from("Cache-Control: max-age=60, stale-if-error=10, " + std::string{strict}), ask(""),
        rules, after(61)));
}

CAF_TEST(an age grows by what is known) {
  const field_text lines{"Age: 7\nDate: <-3>"};
  const auto entry =
      entry_of({200, "", lines.list().lines(), steady_start, steady_start + 2s, wall_start},
               field_text{""}.list(), {});
  CAF_CHECK_EQUAL(entry.age(steady_start + 2s).count(), 9); // 7 and 2 on the way
  CAF_CHECK_EQUAL(entry.age(steady_start + 12s).count(), 19);
}

CAF_TEST(fields of one hop are not stored) {
  const auto entry = entry_from("Age: 1\nConnection: x\nKeep-Alive: x\nContent-Length: 7\n"
                                "Proxy-Authenticate: x\nTransfer-Encoding: chunked\nX-A: 1");
  std::string names;
  for (const auto& line : entry.fields)
    names += line.name + " ";
  CAF_CHECK_EQUAL(names, "X-A Date ");
}

CAF_TEST(Vary compares what the client sent) {
  const auto same = [](std::string_view vary, std::string_view one, std::string_view other) {
    const auto entry = entry_from("Cache-Control: max-age=60\nVary: " + std::string{vary}, one);
    return matches(entry, field_text{other}.list());
  };
  CAF_CHECK(same("X-A", "X-A: 1", "x-a: 1"));
  CAF_CHECK(!same("X-A", "X-A: 1", "X-A: 2"));
  CAF_CHECK(!same("X-A", "X-A: 1", ""));
  CAF_CHECK(same("X-A", "", ""));
  CAF_CHECK(!same("X-A", "", "X-A:")); // RFC 9111 §4.1: absent matches absent only
  CAF_CHECK(!same("Accept-Encoding", "Accept-Encoding:", ""));
  CAF_CHECK(same("X-A", "X-A:", "X-A: "));
  CAF_CHECK(!same("X-A", "X-A: a", "X-A: A"));
  CAF_CHECK(same("X-A, x-b", "X-A: 1\nX-B: 2", "X-B: 2\nX-A: 1"));
  CAF_CHECK(!same("X-A, X-B", "X-A: 1\nX-B: 2", "X-A: 1\nX-B: 3"));
  CAF_CHECK(same("X-A", "X-A: 1\nX-A: 2", "X-A: 1, 2"));
  CAF_CHECK(same("Accept-Encoding", "Accept-Encoding: gzip,  BR", "Accept-Encoding: GZIP,br"));
  CAF_CHECK(same("Accept-Encoding", "Accept-Encoding: gzip;q=1, br",
                 "Accept-Encoding: gzip; q=1\n"
                 "Accept-Encoding: br"));
  CAF_CHECK(!same("Accept-Encoding", "Accept-Encoding: gzip", "Accept-Encoding: br"));
  CAF_CHECK(same("Accept-Language", "Accept-Language: de, en", "Accept-Language: de,en"));
  CAF_CHECK(!same("*", "", ""));
}

CAF_TEST(a 304 brings new fields and keeps what belongs to the content) {
  auto before =
      entry_from("Cache-Control: max-age=10\nETag: \"a\"\nX-A: 1\nContent-Encoding: gzip\n"
                 "Date: <-100>");
  const field_text news{"Cache-Control: max-age=60\nETag: \"a\"\nX-A: 2\nX-A: 3\nX-B: 4\n"
                        "Content-Encoding: br\nContent-Length: 0\nContent-Range: bytes 0-1/2\n"
                        "Content-Type: text/html"};
  const auto after = freshened(
      before,
      {304, "", news.list().lines(), steady_start + 20s, steady_start + 20s, wall_start + 20},
      field_text{""}.list(), {});
  CAF_REQUIRE(after.has_value());
  CAF_CHECK_EQUAL(after->status, 200);
  CAF_CHECK_EQUAL(after->content_type, "text/plain");
  CAF_CHECK_EQUAL(*after->body, "content");
  CAF_CHECK_EQUAL(after->lifetime.count(), 60);
  CAF_CHECK_EQUAL(after->age(steady_start + 20s).count(), 0);
  std::string shown;
  for (const auto& line : after->fields)
    if (line.id != known_field::date)
      shown += line.name + "=" + line.value + "|";
  CAF_CHECK_EQUAL(shown, "Cache-Control=max-age=60|ETag=\"a\"|X-A=2|X-A=3|X-B=4|"
                         "Content-Encoding=gzip|");
}

CAF_TEST(a 304 for something else changes nothing) {
  const auto entry = entry_from("Cache-Control: max-age=10\nETag: \"a\"");
  const auto answer = [&](std::string_view fields) {
    const field_text lines{fields};
    return freshened(entry, {304, "", lines.list().lines(), steady_start, steady_start, wall_start},
                     field_text{""}.list(), {})
        .has_value();
  };
  CAF_CHECK(!answer("ETag: \"b\""));
  CAF_CHECK(answer("ETag: \"a\""));
  CAF_CHECK(answer("ETag: W/\"a\""));
  CAF_CHECK(!answer("ETag: W/\"b\""));
  CAF_CHECK(answer("X: y"));
}

CAF_TEST(validators are those of the response) {
  const auto entry = entry_from("ETag: \"a\"\nLast-Modified: <-10>");
  const auto [tag, date] = validators_of(entry);
  CAF_CHECK_EQUAL(tag, "\"a\"");
  CAF_CHECK_EQUAL(date, date_at(-10));
  CAF_CHECK(validators_of(entry_from("Last-Modified: never")).if_modified_since.empty());
}

CAF_TEST(tags come from two fields) {
  const auto entry = entry_from("Cache-Tag: a, b,c\nSurrogate-Key: d e");
  std::string all;
  for (const auto& tag : entry.tags)
    all += tag + " ";
  CAF_CHECK_EQUAL(all, "a b c d e ");
}

CAF_TEST(what is for one) {
  for (const auto* fields :
       {"Set-Cookie: a=b", "Cache-Control: private", "Cache-Control: no-store", "Vary: *"})
    CAF_CHECK(is_for_one(entry_from(fields)));
  for (const auto* fields : {"", "Cache-Control: no-cache", "Vary: Accept"})
    CAF_CHECK(!is_for_one(entry_from(fields)));
}
