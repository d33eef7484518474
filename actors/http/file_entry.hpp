// A file as the loops serve it: open, with what a response needs to know of it. Made off the loop
// by file_finder, then used by one loop only, which adds what it has computed from it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "actors/http/coding.hpp"
#include "actors/http/fixed_response.hpp"
#include "actors/http/static_plan.hpp"

namespace caf_app::http {

/// One form on disk: the file itself or a precompressed sibling.
struct file_form {
  static_file facts;
  uint64_t device = 0; ///< with the next two: tells another file of the same name
  uint64_t inode = 0;
  int64_t changed_ns = 0; ///< ctime since 1970
  /// It was opened so soon after its last change that another one may hide behind the same times.
  bool fresh = false;
  shared_file_ptr file;               ///< null if `content` is all that is needed
  std::optional<std::string> content; ///< of a small file, as it was when it was opened

  bool same_as(const file_form& other) const noexcept {
    return !fresh && device == other.device && inode == other.inode &&
           changed_ns == other.changed_ns && facts.form == other.facts.form &&
           facts.size == other.facts.size && facts.mtime_ns == other.facts.mtime_ns;
  }
};

using shared_content = std::shared_ptr<const std::string>;

struct file_entry {
  std::vector<file_form> forms; ///< the file, then its siblings in configured order
  std::string type;             ///< media type
  bool is_fallback = false;     ///< stands in for what is not there

  // What a loop adds.
  std::array<shared_content, 4> coded;                 ///< by coding, compressed on the fly
  std::array<std::optional<fixed_response>, 4> simple; ///< answers to plain requests, by coding
  std::optional<std::string> accepted;                 ///< Accept-Encoding of the last of these
  coding accepted_form = coding::identity;             ///< and what it got

  /// The form in that coding, the file itself if there is none.
  const file_form& form(coding which) const {
    for (const auto& each : forms)
      if (each.facts.form == which)
        return each;
    return forms.front();
  }

  /// @returns the bytes of memory that this holds, roughly
  uint64_t memory() const;

  /// Whether nothing of it has changed on disk.
  bool same_as(const file_entry& other) const;
};

using file_entry_ptr = std::shared_ptr<file_entry>;

} // namespace caf_app::http
