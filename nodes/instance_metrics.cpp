#include "nodes/instance_metrics.hpp"

#include <charconv>
#include <climits>
#include <optional>
#include <utility>

namespace caf_app {

namespace {

constexpr std::string_view answer_word = "metric ";

} // namespace

uint64_t instance_metrics::collect(receiver done) {
  uint64_t number = 0;
  questions::node_type over;
  {
    const std::lock_guard guard{mutex_}; // answers wait until it is known who owes one
    number = ++last_;
    const auto told = ask_("metrics " + std::to_string(number));
    auto& which = open_[number];
    which.missing = {told.begin(), told.end()};
    which.done = std::move(done);
    if (which.missing.empty())
      over = open_.extract(number);
  }
  end(std::move(over));
  return number;
}

void instance_metrics::give_up(uint64_t number) {
  questions::node_type over;
  {
    const std::lock_guard guard{mutex_};
    over = open_.extract(number);
  }
  end(std::move(over));
}

bool instance_metrics::note(std::string_view instance, std::string_view line) {
  if (!line.starts_with(answer_word))
    return false;
  line.remove_prefix(answer_word.size());
  uint64_t number = 0;
  const auto [rest, error] = std::from_chars(line.data(), line.data() + line.size(), number);
  if (error != std::errc{})
    return true;
  line.remove_prefix(static_cast<size_t>(rest - line.data()));
  questions::node_type over;
  {
    const std::lock_guard guard{mutex_};
    const auto found = open_.find(number);
    const std::string name{instance};
    if (found == open_.end() || !found->second.missing.contains(name))
      return true; // late
    auto& which = found->second;
    if (line.empty()) {
      which.missing.erase(name);
      which.whole[name] = std::move(which.pending[name]);
    } else {
      which.pending[name].append(line.substr(1)).append("\n");
    }
    if (which.missing.empty())
      over = open_.extract(found);
  }
  end(std::move(over));
  return true;
}

void instance_metrics::forget(const std::string& instance) {
  std::vector<questions::node_type> over;
  {
    const std::lock_guard guard{mutex_};
    for (auto i = open_.begin(); i != open_.end();) {
      const auto which = i++;
      if (which->second.missing.erase(instance) > 0 && which->second.missing.empty())
        over.push_back(open_.extract(which));
    }
  }
  for (auto& each : over)
    end(std::move(each));
}

// Without the lock: the receiver may ask again.
void instance_metrics::end(questions::node_type which) const {
  if (which)
    which.mapped().done(which.mapped().whole);
}

std::vector<std::string> metric_lines(std::string_view question, std::string_view exposition) {
  const auto begin = std::string{answer_word}.append(question);
  std::vector<std::string> result(1);
  const auto add = [&](const std::string& line) {
    if (!result.back().empty() && result.back().size() + line.size() > PIPE_BUF)
      result.emplace_back();
    result.back() += line;
  };
  while (!exposition.empty()) {
    const auto end = exposition.find('\n');
    const auto line = exposition.substr(0, end);
    exposition.remove_prefix(end == std::string_view::npos ? exposition.size() : end + 1);
    if (!line.empty() && begin.size() + 2 + line.size() <= PIPE_BUF)
      add(begin + ' ' + std::string{line} + '\n');
  }
  add(begin + '\n');
  return result;
}

} // namespace caf_app
