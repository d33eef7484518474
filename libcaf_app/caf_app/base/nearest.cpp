#include "caf_app/base/nearest.hpp"

#include <algorithm>
#include <numeric>

namespace caf_app {

size_t edit_distance(std::string_view left, std::string_view right) {
  // Three rows of the usual matrix: the one before the last is needed for swaps.
  std::vector<size_t> before(right.size() + 1);
  std::vector<size_t> last(right.size() + 1);
  std::vector<size_t> row(right.size() + 1);
  std::iota(last.begin(), last.end(), size_t{0});
  for (size_t i = 1; i <= left.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= right.size(); ++j) {
      const size_t replaced = last[j - 1] + (left[i - 1] == right[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[right.size()];
}

std::optional<std::string> nearest(std::string_view word,
                                   const std::vector<std::string>& candidates) {
  // A word longer than any that we know by half has no neighbour; it also bounds the work.
  const auto allowed = std::max<size_t>(1, word.size() / 3);
  std::optional<std::string> best;
  size_t best_distance = allowed + 1;
  for (const auto& candidate : candidates) {
    const auto longer = std::max(word.size(), candidate.size());
    if (longer - std::min(word.size(), candidate.size()) > allowed)
      continue;
    const auto distance = edit_distance(word, candidate);
    if (distance < best_distance && distance < longer) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

} // namespace caf_app
