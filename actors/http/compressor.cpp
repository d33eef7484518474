#include "actors/http/compressor.hpp"

#include <algorithm>
#include <bit>

#include <brotli/encode.h>
#include <zlib.h>
#include <zstd.h>

#include "caf_app/base/error.hpp"

namespace caf_app::http {

namespace {

constexpr size_t slice_bytes = 16 * 1024;

class gzip_compressor : public compressor {
public:
  explicit gzip_compressor(int level) {
    constexpr auto window_bits_gzip = 15 + 16;
    constexpr auto memory_level = 8;
    ready_ = deflateInit2(&stream_, level, Z_DEFLATED, window_bits_gzip, memory_level,
                          Z_DEFAULT_STRATEGY) == Z_OK;
  }

  gzip_compressor(const gzip_compressor&) = delete;
  gzip_compressor& operator=(const gzip_compressor&) = delete;

  ~gzip_compressor() override {
    if (ready_)
      deflateEnd(&stream_);
  }

  bool ready() const { return ready_; }

  bool write(std::string_view data, std::string& out) override {
    while (!data.empty()) { // avail_in has 32 bits only
      const auto part = data.substr(0, size_t{1} << 30);
      if (!run(part, Z_NO_FLUSH, out))
        return false;
      data.remove_prefix(part.size());
    }
    return true;
  }

  bool flush(std::string& out) override { return run({}, Z_SYNC_FLUSH, out); }

  bool finish(std::string& out) override { return run({}, Z_FINISH, out); }

private:
  bool run(std::string_view data, int mode, std::string& out) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data.data()));
    stream_.avail_in = static_cast<uInt>(data.size());
    for (;;) {
      const auto before = out.size();
      out.resize(before + slice_bytes);
      stream_.next_out = reinterpret_cast<Bytef*>(out.data() + before);
      stream_.avail_out = slice_bytes;
      const auto result = deflate(&stream_, mode);
      out.resize(before + slice_bytes - stream_.avail_out);
      if (result == Z_STREAM_END)
        return true;
      if (result == Z_BUF_ERROR) // a flush with nothing to flush
        return mode != Z_FINISH;
      if (result != Z_OK)
        return false;
      if (stream_.avail_out != 0 && mode != Z_FINISH)
        return true;
    }
  }

  z_stream stream_{};
  bool ready_ = false;
};

class br_compressor : public compressor {
public:
  br_compressor(int quality, std::optional<uint64_t> size)
      : state_(BrotliEncoderCreateInstance(nullptr, nullptr, nullptr),
               BrotliEncoderDestroyInstance) {
    if (!state_)
      return;
    constexpr uint64_t window_log_max = 20; // 1 MiB: our largest whole response
    const auto wanted = static_cast<uint64_t>(std::bit_width(size.value_or(~uint64_t{0})));
    const auto window_log = std::clamp<uint64_t>(wanted, BROTLI_MIN_WINDOW_BITS, window_log_max);
    BrotliEncoderSetParameter(state_.get(), BROTLI_PARAM_QUALITY, static_cast<uint32_t>(quality));
    BrotliEncoderSetParameter(state_.get(), BROTLI_PARAM_LGWIN, static_cast<uint32_t>(window_log));
  }

  bool ready() const { return state_ != nullptr; }

  bool write(std::string_view data, std::string& out) override {
    return run(data, BROTLI_OPERATION_PROCESS, out);
  }

  bool flush(std::string& out) override { return run({}, BROTLI_OPERATION_FLUSH, out); }

  bool finish(std::string& out) override {
    return run({}, BROTLI_OPERATION_FINISH, out) && BrotliEncoderIsFinished(state_.get());
  }

private:
  bool run(std::string_view data, BrotliEncoderOperation operation, std::string& out) {
    auto left = data.size();
    auto next = reinterpret_cast<const uint8_t*>(data.data());
    do {
      size_t none = 0;
      if (!BrotliEncoderCompressStream(state_.get(), operation, &left, &next, &none, nullptr,
                                       nullptr))
        return false;
      while (BrotliEncoderHasMoreOutput(state_.get())) {
        size_t taken = 0;
        const auto bytes = BrotliEncoderTakeOutput(state_.get(), &taken);
        out.append(reinterpret_cast<const char*>(bytes), taken);
      }
    } while (left > 0);
    return true;
  }

  std::unique_ptr<BrotliEncoderState, decltype(&BrotliEncoderDestroyInstance)> state_;
};

class zstd_compressor : public compressor {
public:
  zstd_compressor(int level, std::optional<uint64_t> size)
      : context_(ZSTD_createCCtx(), ZSTD_freeCCtx) {
    if (!context_)
      return;
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, level);
    const auto parameters = ZSTD_cParam_getBounds(ZSTD_c_windowLog);
    const auto wanted = size ? static_cast<int>(std::bit_width(*size)) : 20;
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_windowLog,
                           std::clamp(wanted, parameters.lowerBound, zstd_window_log_max));
  }

  bool ready() const { return context_ != nullptr; }

  bool write(std::string_view data, std::string& out) override {
    return run(data, ZSTD_e_continue, out);
  }

  bool flush(std::string& out) override { return run({}, ZSTD_e_flush, out); }

  bool finish(std::string& out) override { return run({}, ZSTD_e_end, out); }

private:
  bool run(std::string_view data, ZSTD_EndDirective mode, std::string& out) {
    ZSTD_inBuffer input{data.data(), data.size(), 0};
    for (;;) {
      const auto before = out.size();
      out.resize(before + slice_bytes);
      ZSTD_outBuffer output{out.data() + before, slice_bytes, 0};
      const auto left = ZSTD_compressStream2(context_.get(), &output, &input, mode);
      out.resize(before + output.pos);
      if (ZSTD_isError(left))
        return false;
      if (mode == ZSTD_e_continue ? input.pos == input.size : left == 0)
        return true;
    }
  }

  std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context_;
};

template <class Coder>
caf::expected<std::unique_ptr<compressor>> checked(std::unique_ptr<Coder> coder) {
  if (!coder->ready())
    return caf::make_error(errc::busy, std::string{"no memory for a compressor"});
  return std::unique_ptr<compressor>{std::move(coder)};
}

} // namespace

caf::expected<std::unique_ptr<compressor>>
make_compressor(coding value, const compressor_options& options, std::optional<uint64_t> size) {
  switch (value) {
    case coding::gzip: return checked(std::make_unique<gzip_compressor>(options.gzip_level));
    case coding::br: return checked(std::make_unique<br_compressor>(options.br_quality, size));
    case coding::zstd: return checked(std::make_unique<zstd_compressor>(options.zstd_level, size));
    case coding::identity: break;
  }
  return caf::make_error(errc::invalid_argument, std::string{"identity needs no compressor"});
}

} // namespace caf_app::http
