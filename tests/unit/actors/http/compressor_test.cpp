#define CAF_SUITE compressor
#include "actors/http/compressor.hpp"

#include <random>

#include <caf/test/unit_test.hpp>

#include <brotli/decode.h>
#include <zlib.h>
#include <zstd.h>

#include "support/seed.hpp"

using namespace caf_app::http;

namespace {

// Decodes all that can be decoded of `coded`, which may be a beginning only.
std::string decoded_gzip(std::string_view coded, bool& ended) {
  z_stream stream{};
  CAF_REQUIRE(inflateInit2(&stream, 15 + 16) == Z_OK);
  std::string result(1 << 22, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(coded.data()));
  stream.avail_in = static_cast<uInt>(coded.size());
  stream.next_out = reinterpret_cast<Bytef*>(result.data());
  stream.avail_out = static_cast<uInt>(result.size());
  const auto code = inflate(&stream, Z_SYNC_FLUSH);
  ended = code == Z_STREAM_END && stream.avail_in == 0;
  result.resize(result.size() - stream.avail_out);
  inflateEnd(&stream);
  return result;
}

std::string decoded_br(std::string_view coded, bool& ended) {
  const auto state = BrotliDecoderCreateInstance(nullptr, nullptr, nullptr);
  std::string result(1 << 22, '\0');
  auto left = coded.size();
  auto next = reinterpret_cast<const uint8_t*>(coded.data());
  auto space = result.size();
  auto out = reinterpret_cast<uint8_t*>(result.data());
  const auto code = BrotliDecoderDecompressStream(state, &left, &next, &space, &out, nullptr);
  ended = code == BROTLI_DECODER_RESULT_SUCCESS && left == 0;
  result.resize(result.size() - space);
  BrotliDecoderDestroyInstance(state);
  return result;
}

std::string decoded_zstd(std::string_view coded, bool& ended) {
  const auto state = ZSTD_createDCtx();
  ZSTD_DCtx_setParameter(state, ZSTD_d_windowLogMax, zstd_window_log_max);
  std::string result(1 << 22, '\0');
  ZSTD_inBuffer in{coded.data(), coded.size(), 0};
  ZSTD_outBuffer out{result.data(), result.size(), 0};
  size_t code = 1;
  while (in.pos < in.size && !ZSTD_isError(code))
    code = ZSTD_decompressStream(state, &out, &in);
  ended = code == 0;
  result.resize(out.pos);
  ZSTD_freeDCtx(state);
  return result;
}

std::string decoded(coding value, std::string_view coded, bool& ended) {
  switch (value) {
    case coding::gzip: return decoded_gzip(coded, ended);
    case coding::br: return decoded_br(coded, ended);
    case coding::zstd: return decoded_zstd(coded, ended);
    case coding::identity: break;
  }
  return {};
}

std::unique_ptr<compressor> made(coding value, std::optional<uint64_t> size = {}) {
  auto result = make_compressor(value, {}, size);
  CAF_REQUIRE(result);
  return std::move(*result);
}

std::string text_of(size_t size, std::mt19937& random) {
  std::string result;
  while (result.size() < size)
    result += "word" + std::to_string(random() % 500) + ' ';
  result.resize(size);
  return result;
}

} // namespace

CAF_TEST(whatever the sizes of its writes a client decodes the same content) {
  std::mt19937 random{test_seed()};
  for (const auto value : codings)
    for (const size_t size : {0, 1, 1024, 100'000, 1'048'576}) {
      const auto content = text_of(size, random);
      std::string coded;
      auto coder = made(value, size);
      for (size_t at = 0; at < size;) {
        const auto step = std::min<size_t>(random() % 40'000 + 1, size - at);
        CAF_REQUIRE(coder->write(std::string_view{content}.substr(at, step), coded));
        at += step;
      }
      CAF_REQUIRE(coder->finish(coded));
      auto ended = false;
      CAF_CHECK(decoded(value, coded, ended) == content);
      CAF_CHECK(ended);
      if (size > 1000)
        CAF_CHECK(coded.size() < size / 2);
    }
}

CAF_TEST(after a flush a client sees everything written so far) {
  std::mt19937 random{test_seed()};
  for (const auto value : codings) {
    auto coder = made(value);
    std::string content;
    std::string coded;
    auto ended = true;
    for (auto event = 0; event < 50; ++event) {
      const auto more = text_of(random() % 3000 + 1, random);
      content += more;
      CAF_REQUIRE(coder->write(more, coded));
      CAF_REQUIRE(coder->flush(coded));
      CAF_REQUIRE(decoded(value, coded, ended) == content);
      CAF_REQUIRE(!ended);
    }
    CAF_REQUIRE(coder->flush(coded)); // nothing new
    CAF_REQUIRE(coder->finish(coded));
    CAF_CHECK(decoded(value, coded, ended) == content);
    CAF_CHECK(ended);
  }
}

CAF_TEST(identity has no compressor) { CAF_CHECK(!make_compressor(coding::identity, {})); }
