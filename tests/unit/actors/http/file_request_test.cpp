#define CAF_SUITE file_request
#include "actors/http/file_request.hpp"

#include <caf/test/unit_test.hpp>

using namespace caf_app::http;

namespace {

struct fixture {
  void add(const char* name, const char* value) {
    fields.push_back({name, value, find_known_field(name)});
  }
  field_list fields;
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(file_request_tests, fixture)

  CAF_TEST(absent fields are absent) {
    add("host", "a");
    const file_request request{method::get, fields};
    CAF_CHECK(request.is_simple());
    CAF_CHECK(!request.view().accept_encoding);
    CAF_CHECK(!request.view().range);
  }

  CAF_TEST(lines of one field are one list) {
    add("If-None-Match", "\"a\"");
    add("accept-encoding", "gzip");
    add("if-none-match", "\"b\"");
    file_request request{method::head, fields};
    CAF_CHECK(!request.is_simple());
    CAF_CHECK_EQUAL(*request.view().if_none_match, "\"a\", \"b\"");
    CAF_CHECK_EQUAL(*request.view().accept_encoding, "gzip");
  }

  CAF_TEST(what is kept outlives the head) {
    std::string value = "bytes=0-1";
    fields.push_back({"range", value, known_field::range});
    add("if-range", "\"x\"");
    file_request request{method::get, fields};
    request.keep();
    value.assign(value.size(), '#');
    CAF_CHECK_EQUAL(*request.view().range, "bytes=0-1");
    CAF_CHECK_EQUAL(*request.view().if_range, "\"x\"");
  }

  CAF_TEST(every condition makes a request less than simple) {
    for (const auto* name :
         {"if-match", "if-none-match", "if-modified-since", "if-unmodified-since", "range"}) {
      field_list one;
      one.push_back({name, "x", find_known_field(name)});
      CAF_CHECK(!file_request(method::get, one).is_simple());
    }
  }

  CAF_TEST_FIXTURE_SCOPE_END()
