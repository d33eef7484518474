// A driver on its way from one eval node to another, in pieces, checked when it is whole.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace caf_app::eval {

/// Bytes of a piece, and of the largest driver that travels.
inline constexpr size_t artefact_chunk_bytes = size_t{256} << 10;
inline constexpr uint64_t artefact_bytes_max = uint64_t{256} << 20;

/// A driver of which the pieces come one after the other.
class artefact_assembly {
public:
  /// @param total bytes of the whole; the first feed refuses 0 and more than artefact_bytes_max
  /// @param sha256 of the whole, hex
  artefact_assembly(uint64_t total, std::string sha256)
      : total_(total), sha256_(std::move(sha256)) {}

  /// Takes the piece at `offset`, which has to be `next_offset`.
  /// @returns what is wrong; nothing can be fed after that
  std::optional<std::string> feed(uint64_t offset, std::string_view bytes);

  uint64_t next_offset() const noexcept { return content_.size(); }
  bool complete() const noexcept { return content_.size() == total_; }

  /// The whole, once it is complete; its digest has been checked.
  const std::string& content() const noexcept { return content_; }

private:
  uint64_t total_;
  std::string sha256_;
  std::string content_;
};

} // namespace caf_app::eval
