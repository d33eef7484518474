// Counters, gauges and histograms, and their text for Prometheus (exposition format 0.0.4). Labels
// are fixed when a metric is registered; the hot path is one relaxed atomic addition. Names follow
// `caf_<room>_<what>_<unit>`, counters end in `_total`, times are in seconds.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace caf_app {

/// Names and values; values come from the configuration or a fixed set, never from a peer.
using metric_labels = std::vector<std::pair<std::string, std::string>>;

/// Only grows. Any thread.
class counter {
public:
  void add(uint64_t n = 1) { value_.fetch_add(n, std::memory_order_relaxed); }
  uint64_t value() const { return value_.load(std::memory_order_relaxed); }

private:
  std::atomic<uint64_t> value_ = 0;
};

/// Goes up and down. Any thread.
class gauge {
public:
  void set(int64_t value) { value_.store(value, std::memory_order_relaxed); }
  void add(int64_t n = 1) { value_.fetch_add(n, std::memory_order_relaxed); }
  void sub(int64_t n = 1) { value_.fetch_sub(n, std::memory_order_relaxed); }
  int64_t value() const { return value_.load(std::memory_order_relaxed); }

private:
  std::atomic<int64_t> value_ = 0;
};

/// Counts observations per bucket. Any thread; a scrape during an observation may see its bucket
/// before its sum.
class histogram {
public:
  /// @param bounds upper bounds, inclusive, ascending; +Inf is added
  explicit histogram(std::vector<double> bounds);

  /// Counts `value` in its bucket. Not NaN: the sum would stay that.
  void observe(double value);

  /// Upper bounds as given, without +Inf.
  const std::vector<double>& bounds() const { return bounds_; }
  /// @param index below bounds().size() + 1
  uint64_t bucket(size_t index) const { return buckets_[index].load(std::memory_order_relaxed); }
  /// Of all values observed.
  double sum() const { return sum_.load(std::memory_order_relaxed); }
  /// How many values were observed.
  uint64_t count() const;

private:
  std::vector<double> bounds_;
  std::unique_ptr<std::atomic<uint64_t>[]> buckets_; // not cumulative; one more than bounds_
  std::atomic<double> sum_ = 0;
};

/// The 14 bounds of request durations: 0.5 ms .. 60 s.
std::vector<double> request_seconds_bounds();

/// Owns the metrics of a node. References stay valid as long as the registry lives. Asking again
/// for a name with equal labels gives the same metric, so a restarted actor goes on counting. A
/// name used with another kind, or one that Prometheus refuses, is a bug. Any thread; takes a lock.
class metrics {
public:
  /// Empty.
  metrics();
  ~metrics();
  metrics(const metrics&) = delete;
  metrics& operator=(const metrics&) = delete;

  /// @param help one line for people; the first one given for a name stays
  caf_app::counter& counter(std::string_view name, std::string_view help,
                            metric_labels labels = {});
  caf_app::gauge& gauge(std::string_view name, std::string_view help, metric_labels labels = {});
  caf_app::histogram& histogram(std::string_view name, std::string_view help,
                                std::vector<double> bounds, metric_labels labels = {});

  /// Keeps a callback registered; once it is destroyed or reset the callback neither runs nor will.
  /// May outlive the registry.
  class [[nodiscard]] observer {
  public:
    observer() = default;
    observer(observer&& other) noexcept = default;
    observer& operator=(observer&& other) noexcept;
    ~observer() { reset(); }
    /// Ends it now; waits for a callback that runs on another thread.
    void reset();

  private:
    friend class metrics;
    struct callback;
    std::shared_ptr<callback> callback_;
  };

  /// A value that is read at scrape time, on the scraping thread; `read` must not block, throw or
  /// use the registry. A counter if its name ends with "_total", else a gauge. The last one
  /// registered for equal name and labels wins.
  observer observe(std::string_view name, std::string_view help, std::function<double()> read,
                   metric_labels labels = {});

  /// @returns the sum of all counters, or of all gauges, with this name; 0 without one
  int64_t sum(std::string_view name) const;

  /// The text of `/metrics`: families in the order of their names, each with HELP and TYPE.
  std::string exposition() const;

private:
  struct books;
  std::unique_ptr<books> books_;
};

/// How the registry travels: in the options of whoever counts, never null.
using metrics_ptr = std::shared_ptr<metrics>;

} // namespace caf_app
