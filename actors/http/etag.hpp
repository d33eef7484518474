// Entity tags (RFC 9110 §8.8.3): their grammar, both comparisons, and how ours are made. What a
// match means for a request is conditional's business.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace caf_app::http {

/// One entity tag as it stands in a field; the views point into that field.
struct entity_tag {
  bool weak = false;
  std::string_view opaque; ///< between the quotes

  bool operator==(const entity_tag&) const = default;
};

/// Reads a field that holds exactly one entity tag, such as ETag.
/// @returns nullopt if it holds anything else
std::optional<entity_tag> parse_entity_tag(std::string_view text);

/// RFC 9110 §8.8.3.2: both strong and equal.
bool strong_match(const entity_tag& left, const entity_tag& right);

/// RFC 9110 §8.8.3.2: equal, whatever their strength.
bool weak_match(const entity_tag& left, const entity_tag& right);

/// Walks through the tags of an If-Match or If-None-Match value; lines of a repeated field are
/// joined with commas before.
class entity_tag_list {
public:
  explicit entity_tag_list(std::string_view value) : rest_(value) {}

  /// @returns true if the value is the single member `*`
  bool any() const;

  /// @returns the next tag; nullopt at the end, and at the first byte that breaks the grammar
  std::optional<entity_tag> next();

private:
  std::string_view rest_;
};

/// The strong tag of a file: it changes with every write that changes time or size.
/// @param coding of a precompressed sibling, empty for the file itself
/// @returns with quotes, for example `"17a3f-2c"` or `"17a3f-2c-br"`
std::string file_etag(int64_t mtime_ns, uint64_t size, std::string_view coding);

/// The tag of what an on-the-fly coding makes of a representation: weak, because two runs of a
/// compressor need not agree in every byte, and with the coding as suffix.
/// @param tag as it stands in ETag; empty stays empty, what is no tag comes back as it is
/// @returns for example `W/"abc-gzip"` for `"abc"`
std::string coded_etag(std::string_view tag, std::string_view coding);

/// Takes coded_etag back in an If-None-Match value, for the handler that knows uncoded tags only:
/// behind each tag that has the suffix, which may be the handler's own after all, follows the one
/// without.
std::string with_uncoded_tags(std::string_view if_none_match, std::string_view coding);

/// The tag that a 304 repeats to the client: its own coded form if it had asked with that, else
/// the handler's.
/// @param if_none_match as the client sent it
/// @param tag the handler's ETag
std::string repeated_etag(std::string_view if_none_match, std::string_view tag,
                          std::string_view coding);

} // namespace caf_app::http
