// Bounds of serving files and of compressing on the fly; the others are in base/limits.hpp.
#pragma once

#include "caf_app/base/limits.hpp"

namespace caf_app::limits::http {

inline constexpr size_t open_files = 256;                 ///< kept open per loop
inline constexpr seconds open_file_age{1};                ///< then a file is looked at again
inline constexpr uint64_t file_memory_bytes = 32 * kib;   ///< smaller files are kept in memory
inline constexpr uint64_t file_cache_bytes = 32 * mib;    ///< of memory for files, per loop
inline constexpr size_t listing_entries = 10'000;         ///< of a directory that are listed
inline constexpr size_t coded_streams = 128;              ///< per route, up to 4 MiB each
inline constexpr uint64_t coding_inline_bytes = 32 * kib; ///< more is compressed off the loop

static_assert(file_memory_bytes < direction_buffer_bytes);
static_assert(file_memory_bytes <= coding_inline_bytes, "others have a descriptor");
static_assert(file_memory_bytes * open_files <= file_cache_bytes);

} // namespace caf_app::limits::http
