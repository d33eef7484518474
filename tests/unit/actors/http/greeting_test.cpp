#define CAF_SUITE greeting
#include "actors/http/greeting.hpp"

#include <caf/test/unit_test.hpp>

#include <string>

using namespace caf_app::http;

namespace {

const std::string preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

} // namespace

CAF_TEST(the first byte tells TLS) {
  CAF_CHECK(recognise("\x16") == greeting::tls);
  CAF_CHECK(recognise("\x16\x03\x01\x02") == greeting::tls);
  CAF_CHECK(recognise("\x15\x03\x01") == greeting::h1);
}

CAF_TEST(methods that begin like the preface are told by their first other byte) {
  for (const std::string text :
       {"PROPFIND / HTTP/1.1", "PUT / HTTP/1.1", "PRINT /", "PRI", "GET /"}) {
    size_t size = 1;
    while (size < text.size() && recognise(text.substr(0, size)) == greeting::unclear)
      ++size;
    CAF_MESSAGE(text << " at " << size);
    CAF_CHECK(recognise(text.substr(0, size)) ==
              (text == "PRI" ? greeting::unclear : greeting::h1));
  }
}

CAF_TEST(an answer holds whatever follows) {
  for (const auto& text : {preface, std::string{"POST / HTTP/1.1\r\n"}, std::string{"\x16\x03\x01"},
                           std::string{"\0\0\0", 3}}) {
    auto before = greeting::unclear;
    for (size_t size = 0; size <= text.size(); ++size) {
      const auto now = recognise(text.substr(0, size));
      CAF_CHECK(before == greeting::unclear || now == before);
      before = now;
    }
    CAF_CHECK(before != greeting::unclear);
  }
}

CAF_TEST(text is told from broken TLS by a capital letter) {
  CAF_CHECK(looks_like_text("GET"));
  CAF_CHECK(!looks_like_text("\x80\x2e"));
  CAF_CHECK(!looks_like_text(""));
  CAF_CHECK(!looks_like_text("@"));
  CAF_CHECK(!looks_like_text("["));
}
