#include "actors/eval/artefact.hpp"

#include "actors/eval/digest.hpp"

namespace caf_app::eval {

std::optional<std::string> artefact_assembly::feed(uint64_t offset, std::string_view bytes) {
  if (total_ == 0 || total_ > artefact_bytes_max)
    return "an artefact of " + std::to_string(total_) + " bytes, expected 1 to " +
           std::to_string(artefact_bytes_max);
  if (offset != next_offset())
    return "a piece at " + std::to_string(offset) + ", expected " + std::to_string(next_offset());
  if (bytes.empty() || bytes.size() > total_ - next_offset())
    return "a piece of " + std::to_string(bytes.size()) + " bytes, expected 1 to " +
           std::to_string(total_ - next_offset());
  content_ += bytes;
  if (complete() && !same_digest(sha256_hex(content_), sha256_))
    return "the digest of the artefact does not match";
  return std::nullopt;
}

} // namespace caf_app::eval
