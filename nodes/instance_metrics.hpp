// Asks the instances of a node what they count, and collects what they say. They answer in lines
// of their stdout, in any order and maybe not at all; who asks gives up in time.
//
//   node -> instance   metrics <question>
//   instance -> node   metric <question> <line of an exposition>   ...
//                      metric <question>                            (that was all)
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace caf_app {

/// Thread safe.
class instance_metrics {
public:
  using texts = std::map<std::string, std::string>; ///< exposition by name of the instance
  using receiver = std::function<void(const texts&)>;

  /// @param ask tells all instances a line. @returns whom it has told
  explicit instance_metrics(std::function<std::vector<std::string>(const std::string&)> ask)
      : ask_(std::move(ask)) {}

  /// Asks all. `done` is called once, on any thread: when all have answered, or by give_up().
  /// @returns the number of the question
  uint64_t collect(receiver done);

  /// What has not come by now is left out.
  void give_up(uint64_t question);

  /// A line that an instance has said. @returns whether it was for us
  bool note(std::string_view instance, std::string_view line);

  /// An instance has ended: nobody waits for it.
  void forget(const std::string& instance);

private:
  struct question {
    std::set<std::string> missing;
    texts pending;
    texts whole;
    receiver done;
  };
  using questions = std::map<uint64_t, question>;

  void end(questions::node_type which) const;

  std::function<std::vector<std::string>(const std::string&)> ask_;
  std::mutex mutex_;
  uint64_t last_ = 0;
  questions open_;
};

/// What an instance answers to "metrics <question>": pieces of whole lines, each short enough to be
/// written at once.
std::vector<std::string> metric_lines(std::string_view question, std::string_view exposition);

} // namespace caf_app
