// Streaming coders for on-the-fly content codings: bytes in, coded bytes out. They hold their whole
// state (up to some MiB each), so a response owns one from its head to its last byte.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <caf/expected.hpp>

#include "actors/http/coding.hpp"

namespace caf_app::http {

/// One coded response. One thread at a time.
class compressor {
public:
  virtual ~compressor() = default;

  /// Takes all of `data`; appends what is ready to `out`, which may be nothing.
  /// @returns false if the coder failed: the response has to be cut
  virtual bool write(std::string_view data, std::string& out) = 0;

  /// Appends everything taken so far in a form that the client can decode now. Costs some ratio.
  /// @returns as write(), like finish()
  virtual bool flush(std::string& out) = 0;

  /// Appends the end of the coded form. Nothing may follow.
  virtual bool finish(std::string& out) = 0;
};

/// Speed before ratio: the levels are those that a request can wait for.
struct compressor_options {
  int gzip_level = 5; ///< 1 to 9 (zlib)
  int br_quality = 4; ///< 0 to 11
  int zstd_level = 3; ///< 1 to 22
};

/// Largest distance that a client has to keep for zstd: 8 MiB (RFC 9659).
inline constexpr int zstd_window_log_max = 23;

/// @param size of the content if known: keeps the coder's tables small
/// @returns an error of code `invalid_argument` for identity, `busy` if the library has no memory
caf::expected<std::unique_ptr<compressor>>
make_compressor(coding value, const compressor_options& options, std::optional<uint64_t> size = {});

} // namespace caf_app::http
