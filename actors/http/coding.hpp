// Content codings (RFC 9110 §8.4, §12.5.3): what a client accepts, which of the available codings
// it gets, and whether a response is worth coding on the fly. The coders are in compressor.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace caf_app::http {

/// Those that we can make. RFC 9110 §8.4.1, RFC 7932, RFC 8878
enum class coding : uint8_t { identity, gzip, br, zstd };

/// All codings that are not identity, in the order of our preference.
inline constexpr std::array<coding, 3> codings{coding::br, coding::zstd, coding::gzip};

/// The name in Accept-Encoding and Content-Encoding; "identity" for identity.
std::string_view to_string(coding value);

/// The end of a precompressed sibling's name: ".br", ".zst", ".gz"; empty for identity.
std::string_view sibling_suffix(coding value);

/// Reads a name as in the configuration or in a field; case does not matter, `x-gzip` is gzip.
std::optional<coding> parse_coding(std::string_view name);

/// A parsed Accept-Encoding.
class accepted_codings {
public:
  /// @param value of Accept-Encoding with repeated lines joined by commas; nullopt if the request
  ///              has none. Members that cannot be read count as absent.
  explicit accepted_codings(std::optional<std::string_view> value);

  /// @returns 0 (never) to 1000; what is not named is 0, but identity is 1 unless excluded: any
  ///          named coding is better than none
  int weight(coding value) const { return weights_[static_cast<size_t>(value)]; }

private:
  std::array<int, 4> weights_{};
};

/// The coding to send.
/// @param available without identity, preferred first: among equal weights the first one wins, and
///                  every one wins over an equal identity
/// @param identity whether the uncoded form can be sent too
/// @returns nullopt if nothing is acceptable: 406
std::optional<coding> choose_coding(const accepted_codings& accepted,
                                    std::span<const coding> available, bool identity = true);

/// What on-the-fly coding looks at in a response.
struct codable_response {
  int status = 200;
  std::string_view type;             ///< Content-Type, empty if none
  std::string_view content_encoding; ///< as set already
  std::string_view cache_control;
  std::optional<uint64_t> size; ///< nullopt: not known yet, it is streamed
};

/// Bytes of content that are coded on the fly if their number is known: with less there is little
/// to win, with more somebody waits.
inline constexpr uint64_t coded_on_the_fly_bytes_min = 1024;
inline constexpr uint64_t coded_on_the_fly_bytes_max = 1024 * 1024;

/// @returns true if the response may be coded on the fly for a client that accepts it; also what
///          makes a response depend on Accept-Encoding, hence Vary
bool codable_on_the_fly(const codable_response& response);

/// Text, JSON, JavaScript, XML, SVG, WASM, whatever the parameters of the type.
bool compressible_type(std::string_view type);

} // namespace caf_app::http
