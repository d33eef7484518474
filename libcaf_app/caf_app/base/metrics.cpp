#include "caf_app/base/metrics.hpp"

#include <algorithm>
#include <map>
#include <mutex>

#include "caf_app/base/assert.hpp"
#include "caf_app/base/metrics_text.hpp"

namespace caf_app {

histogram::histogram(std::vector<double> bounds)
    : bounds_(std::move(bounds)),
      buckets_(std::make_unique<std::atomic<uint64_t>[]>(bounds_.size() + 1)) {
  CAF_APP_ASSERT(std::is_sorted(bounds_.begin(), bounds_.end()));
  CAF_APP_ASSERT(std::adjacent_find(bounds_.begin(), bounds_.end()) == bounds_.end());
}

void histogram::observe(double value) {
  const auto bound = std::lower_bound(bounds_.begin(), bounds_.end(), value);
  const auto index = static_cast<size_t>(bound - bounds_.begin());
  buckets_[index].fetch_add(1, std::memory_order_relaxed);
  sum_.fetch_add(value, std::memory_order_relaxed);
}

uint64_t histogram::count() const {
  uint64_t total = 0;
  for (size_t index = 0; index <= bounds_.size(); ++index)
    total += bucket(index);
  return total;
}

std::vector<double> request_seconds_bounds() {
  return {0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 15, 60};
}

struct metrics::observer::callback {
  std::mutex lock; // held while it runs, so that reset() waits
  std::function<double()> read;
};

namespace {

/// What a scrape needs of one series, valid without the lock: metrics are never removed.
struct sample_source {
  const metric_labels* labels;
  const counter* plain_counter;
  const gauge* plain_gauge;
  const histogram* buckets;
  std::function<bool(double&)> read; // empty: no callback
};

void append_histogram(std::string& out, std::string_view name, const sample_source& from) {
  const auto& from_buckets = *from.buckets;
  const auto bucket_name = std::string{name} + "_bucket";
  uint64_t total = 0; // of what is written, so that the parts of one scrape agree
  for (size_t index = 0; index <= from_buckets.bounds().size(); ++index) {
    total += from_buckets.bucket(index);
    const auto bound = index < from_buckets.bounds().size()
                           ? metric_number(from_buckets.bounds()[index])
                           : std::string{"+Inf"};
    append_sample(out, bucket_name, *from.labels, static_cast<double>(total), {"le", bound});
  }
  append_sample(out, std::string{name} + "_sum", *from.labels, from_buckets.sum());
  append_sample(out, std::string{name} + "_count", *from.labels, static_cast<double>(total));
}

void append_series(std::string& out, std::string_view name, const sample_source& from) {
  double value = 0;
  if (from.read && from.read(value))
    append_sample(out, name, *from.labels, value);
  else if (from.plain_counter)
    append_sample(out, name, *from.labels, static_cast<double>(from.plain_counter->value()));
  else if (from.plain_gauge)
    append_sample(out, name, *from.labels, static_cast<double>(from.plain_gauge->value()));
  else if (from.buckets)
    append_histogram(out, name, from);
}

} // namespace

struct metrics::books {
  struct slot {
    std::unique_ptr<caf_app::counter> plain_counter;
    std::unique_ptr<caf_app::gauge> plain_gauge;
    std::unique_ptr<caf_app::histogram> buckets;
    std::weak_ptr<observer::callback> callback;

    sample_source source(const metric_labels& labels) const {
      sample_source result{&labels, plain_counter.get(), plain_gauge.get(), buckets.get(), {}};
      if (auto living = callback.lock())
        result.read = [living](double& value) {
          std::lock_guard guard{living->lock};
          if (!living->read)
            return false;
          value = living->read();
          return true;
        };
      return result;
    }
  };

  struct family {
    metric_kind kind;
    std::string help;
    std::map<metric_labels, slot> series; // nodes never move
  };

  /// Under the lock: the series of a name and labels, made when missing.
  slot& find(std::string_view name, std::string_view help, metric_kind kind, metric_labels labels) {
    CAF_APP_ASSERT(is_metric_name(name) && !help.empty());
    for (const auto& [label, value] : labels)
      CAF_APP_ASSERT(is_label_name(label) && label != "le");
    auto found = families.find(name);
    if (found == families.end())
      found = families.emplace(name, family{kind, std::string{help}, {}}).first;
    CAF_APP_ASSERT(found->second.kind == kind);
    return found->second.series[std::move(labels)];
  }

  std::mutex lock;
  std::map<std::string, family, std::less<>> families;
};

metrics::metrics() : books_(std::make_unique<books>()) {}

metrics::~metrics() = default;

int64_t metrics::sum(std::string_view name) const {
  std::lock_guard guard{books_->lock};
  int64_t result = 0;
  if (const auto found = books_->families.find(name); found != books_->families.end())
    for (const auto& [labels, slot] : found->second.series)
      result += slot.plain_counter ? static_cast<int64_t>(slot.plain_counter->value())
                : slot.plain_gauge ? slot.plain_gauge->value()
                                   : 0;
  return result;
}

counter& metrics::counter(std::string_view name, std::string_view help, metric_labels labels) {
  std::lock_guard guard{books_->lock};
  auto& slot = books_->find(name, help, metric_kind::counter, std::move(labels));
  if (!slot.plain_counter)
    slot.plain_counter = std::make_unique<caf_app::counter>();
  return *slot.plain_counter;
}

gauge& metrics::gauge(std::string_view name, std::string_view help, metric_labels labels) {
  std::lock_guard guard{books_->lock};
  auto& slot = books_->find(name, help, metric_kind::gauge, std::move(labels));
  if (!slot.plain_gauge)
    slot.plain_gauge = std::make_unique<caf_app::gauge>();
  return *slot.plain_gauge;
}

histogram& metrics::histogram(std::string_view name, std::string_view help,
                              std::vector<double> bounds, metric_labels labels) {
  std::lock_guard guard{books_->lock};
  auto& slot = books_->find(name, help, metric_kind::histogram, std::move(labels));
  if (!slot.buckets)
    slot.buckets = std::make_unique<caf_app::histogram>(std::move(bounds));
  return *slot.buckets;
}

metrics::observer metrics::observe(std::string_view name, std::string_view help,
                                   std::function<double()> read, metric_labels labels) {
  observer result;
  result.callback_ = std::make_shared<observer::callback>();
  result.callback_->read = std::move(read);
  std::lock_guard guard{books_->lock};
  const auto kind = name.ends_with("_total") ? metric_kind::counter : metric_kind::gauge;
  books_->find(name, help, kind, std::move(labels)).callback = result.callback_;
  return result;
}

metrics::observer& metrics::observer::operator=(observer&& other) noexcept {
  reset();
  callback_ = std::move(other.callback_);
  return *this;
}

void metrics::observer::reset() {
  if (!callback_)
    return;
  {
    std::lock_guard guard{callback_->lock};
    callback_->read = nullptr;
  }
  callback_.reset();
}

std::string metrics::exposition() const {
  struct family_source {
    std::string_view name;
    std::string_view help;
    metric_kind kind;
    std::vector<sample_source> series;
  };
  std::vector<family_source> sources;
  {
    std::lock_guard guard{books_->lock};
    for (const auto& [name, family] : books_->families) {
      auto& source = sources.emplace_back(family_source{name, family.help, family.kind, {}});
      for (const auto& [labels, slot] : family.series)
        source.series.push_back(slot.source(labels));
    }
  }
  // Callbacks run without the lock: they may wait for a thread that registers something.
  std::string out;
  for (const auto& source : sources) {
    std::string samples;
    for (const auto& series : source.series)
      append_series(samples, source.name, series);
    if (samples.empty()) // all of its callbacks are gone
      continue;
    append_family(out, source.name, source.help, source.kind);
    out += samples;
  }
  return out;
}

} // namespace caf_app
