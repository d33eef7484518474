#define CAF_SUITE tls_borders
#include "caf_app/loop/tls_borders.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <caf/test/unit_test.hpp>

using namespace caf_app;

namespace {

std::string record(size_t size) {
  std::string result{"\x17\x03\x03"};
  result += static_cast<char>(size >> 8);
  result += static_cast<char>(size & 255);
  return result + std::string(size, '\x7f');
}

} // namespace

CAF_TEST(nothing is a border) { CAF_CHECK(tls_borders{}.at_border()); }

CAF_TEST(borders are found in all slicings) {
  const size_t sizes[]{1, 0, 300, 16'384 + 256, 5};
  std::string stream;
  std::vector<size_t> borders{0};
  for (const auto size : sizes) {
    stream += record(size);
    borders.push_back(stream.size());
  }
  for (const size_t slice : {size_t{1}, size_t{2}, size_t{3}, size_t{5}, size_t{7}, size_t{400}}) {
    tls_borders reader;
    for (size_t at = 0; at < stream.size();) {
      const auto step = std::min(slice, stream.size() - at);
      reader.pass(std::span{stream}.subspan(at, step));
      at += step;
      const auto is_border = std::find(borders.begin(), borders.end(), at) != borders.end();
      if (reader.at_border() != is_border)
        CAF_ERROR("slice " << slice << ", byte " << at);
    }
  }
}

CAF_TEST(each cut of a record is none) {
  const auto whole = record(9);
  for (size_t cut = 1; cut < whole.size(); ++cut) {
    tls_borders reader;
    reader.pass(std::span{whole}.first(cut));
    CAF_CHECK(!reader.at_border());
    reader.pass(std::span{whole}.subspan(cut));
    CAF_CHECK(reader.at_border());
  }
}
