#define CAF_SUITE coding
#include "actors/http/coding.hpp"

#include <string>
#include <vector>

#include <caf/test/unit_test.hpp>

using namespace caf_app::http;

namespace {

std::string chosen(std::optional<std::string_view> value,
                   std::vector<coding> available = {coding::br, coding::zstd, coding::gzip},
                   bool identity = true) {
  const auto result = choose_coding(accepted_codings{value}, available, identity);
  return result ? std::string{to_string(*result)} : "406";
}

struct row {
  const char* accept;
  const char* expected;
};

} // namespace

CAF_TEST(the coding with the highest weight is sent and ties go by configured order) {
  const row rows[]{
      {"", "identity"},
      {"gzip", "gzip"},
      {"GZip", "gzip"},
      {"x-gzip", "gzip"},
      {"deflate", "identity"},
      {"gzip, deflate, br, zstd", "br"},
      {"gzip, zstd", "zstd"},
      {"gzip;q=1.0, br;q=0.9", "gzip"},
      {"gzip;q=0.001", "gzip"},
      {"gzip;q=0", "identity"},
      {"gzip ; q=0.5 , br ;\tQ=0.4", "gzip"},
      {"br;q=0.5, gzip;q=0.5", "br"},
      {"identity", "identity"},
      {"identity, gzip", "gzip"},
      {"identity;q=1, gzip;q=0.9", "identity"},
      {"identity;q=0, gzip;q=0.1", "gzip"},
      {"identity;q=0", "406"},
      {"identity;q=0, deflate", "406"},
      {"*;q=0", "406"},
      {"*;q=0, identity;q=0.1", "identity"},
      {"*;q=0, gzip", "gzip"},
      {"*", "br"},
      {"*, br;q=0", "zstd"},
      {"*;q=0.5, br;q=0.1", "zstd"},
      {"gzip;q=2", "identity"},
      {"gzip;q=1.001", "identity"},
      {"gzip;q=0.1234", "identity"},
      {"gzip;q=.5", "identity"},
      {"gzip;q=", "identity"},
      {"gzip;q=-1", "identity"},
      {"gzip;level=9", "identity"},
      {"gzip;q=x, br", "br"},
      {",,gzip,", "gzip"},
      {"gzip;q=0.", "identity"},
      {"gzip;q=1.", "gzip"},
      {"gzip br", "identity"},
  };
  for (const auto& each : rows) {
    CAF_MESSAGE(each.accept);
    CAF_CHECK_EQUAL(chosen(each.accept), each.expected);
  }
}

CAF_TEST(without the field nothing is coded) { CAF_CHECK_EQUAL(chosen(std::nullopt), "identity"); }

CAF_TEST(the configured order decides among equal weights) {
  CAF_CHECK_EQUAL(chosen("gzip, br", {coding::gzip, coding::br}), "gzip");
  CAF_CHECK_EQUAL(chosen("br", {coding::gzip}), "identity");
}

CAF_TEST(a resource without an uncoded form is not acceptable to who takes no coding) {
  CAF_CHECK_EQUAL(chosen("", {coding::gzip}, false), "406");
  CAF_CHECK_EQUAL(chosen("gzip", {coding::gzip}, false), "gzip");
}

CAF_TEST(names and suffixes are those of files and fields) {
  CAF_CHECK_EQUAL(sibling_suffix(coding::zstd), ".zst");
  CAF_CHECK_EQUAL(sibling_suffix(coding::gzip), ".gz");
  CAF_CHECK_EQUAL(sibling_suffix(coding::br), ".br");
  CAF_CHECK(parse_coding("zstd") == coding::zstd);
  CAF_CHECK(!parse_coding("gz"));
}

CAF_TEST(text like types are compressible) {
  for (const auto type : {"text/html", "text/css; charset=utf-8", "TEXT/PLAIN", "application/json",
                          "application/problem+json", "application/javascript", "image/svg+xml",
                          "application/wasm", "application/atom+xml", "application/json ;x=1"})
    CAF_CHECK(compressible_type(type));
  for (const auto type :
       {"", "image/png", "application/zip", "video/mp4", "application/octet-stream", "texture/x",
        "application/jsonx", "font/woff2"})
    CAF_CHECK(!compressible_type(type));
}

CAF_TEST(only whole final uncoded transformable responses of middle size are coded on the fly) {
  codable_response response{200, "text/html", "", "", 5000};
  CAF_CHECK(codable_on_the_fly(response));
  for (const auto status : {100, 103, 204, 205, 206, 304}) {
    response.status = status;
    CAF_CHECK(!codable_on_the_fly(response));
  }
  for (const auto status : {200, 404, 500}) {
    response.status = status;
    CAF_CHECK(codable_on_the_fly(response));
  }
  for (const auto& [size, expected] : std::vector<std::pair<uint64_t, bool>>{{1023, false},
                                                                             {1024, true},
                                                                             {1025, true},
                                                                             {1048575, true},
                                                                             {1048576, true},
                                                                             {1048577, false},
                                                                             {0, false}}) {
    response.size = size;
    CAF_CHECK_EQUAL(codable_on_the_fly(response), expected);
  }
  response.size.reset();
  CAF_CHECK(codable_on_the_fly(response));
  response.cache_control = "max-age=5, No-Transform";
  CAF_CHECK(!codable_on_the_fly(response));
  response.cache_control = "max-age=5, x-no-transform";
  CAF_CHECK(codable_on_the_fly(response));
  response.content_encoding = "br";
  CAF_CHECK(!codable_on_the_fly(response));
}
