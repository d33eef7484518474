#include "actors/scaler/replay.hpp"

#include <charconv>
#include <limits>
#include <memory>

#include "caf_app/base/error.hpp"

namespace caf_app::scaler {

namespace {

constexpr std::string_view absent = "-";

class line_writer {
public:
  explicit line_writer(std::string_view kind) : text_(kind) {}

  line_writer& add(std::string_view word) {
    text_.append(" ").append(word);
    return *this;
  }
  template <class T>
  requires std::is_integral_v<T> line_writer& add(T number) { return add(std::to_string(number)); }
  line_writer& add(steady::time_point at) { return add(at.time_since_epoch().count()); }
  line_writer& add(double x) {
    char buffer[64];
    const auto [end, error] =
        std::to_chars(std::begin(buffer), std::end(buffer), x, std::chars_format::hex);
    return add(std::string_view{buffer, static_cast<size_t>(end - buffer)});
  }
  template <class T>
  line_writer& add(const std::optional<T>& x) {
    return x ? add(*x) : add(absent);
  }

  std::string take() { return std::move(text_); }

private:
  std::string text_;
};

class line_reader {
public:
  explicit line_reader(std::string_view text) : text_(text) {}

  std::string_view word() {
    const auto end = std::min(text_.find(' '), text_.size());
    const auto result = text_.substr(0, end);
    text_.remove_prefix(std::min(end + 1, text_.size()));
    good_ = good_ && !result.empty();
    return result;
  }

  template <class T>
  void read(T& out) {
    const auto text = word();
    std::from_chars_result result{};
    if constexpr (std::is_floating_point_v<T>)
      result = std::from_chars(text.data(), text.data() + text.size(), out, std::chars_format::hex);
    else
      result = std::from_chars(text.data(), text.data() + text.size(), out);
    good_ = good_ && result.ec == std::errc{} && result.ptr == text.data() + text.size();
  }
  void read(bool& out) {
    int number = 0;
    read(number);
    good_ = good_ && (number == 0 || number == 1);
    out = number == 1;
  }
  void read(steady::time_point& out) {
    int64_t ns = 0;
    read(ns);
    out = steady::time_point{steady::duration{ns}};
  }
  void read(std::string& out) { out = word(); }
  template <class T>
  void read(std::optional<T>& out) {
    if (text_ == absent || text_.starts_with("- ")) {
      word();
      out.reset();
    } else {
      T value{};
      read(value);
      out = value;
    }
  }
  template <class Enum>
  void read_enum(Enum& out, size_t count) {
    size_t number = 0;
    read(number);
    good_ = good_ && number < count;
    out = static_cast<Enum>(number);
  }

  bool good() const { return good_; }
  bool at_end() const { return good_ && text_.empty(); }

private:
  std::string_view text_;
  bool good_ = true;
};

void write(line_writer& out, const reading& x) {
  out.add(static_cast<unsigned>(x.what)).add(static_cast<unsigned>(x.why)).add(x.n);
  out.add(x.u).add(x.u_max).add(x.u_min).add(x.w).add(x.run_delay).add(x.idle_cores);
  out.add(x.accept_queue_peak).add(x.lag_us).add(x.rps).add(x.memory_available);
  out.add(static_cast<int>(x.allows_shrink)).add(x.missing.size());
  for (const auto& name : x.missing)
    out.add(name);
}

void read(line_reader& in, reading& x) {
  in.read_enum(x.what, verdict_count);
  in.read_enum(x.why, reason_count);
  in.read(x.n);
  in.read(x.u);
  in.read(x.u_max);
  in.read(x.u_min);
  in.read(x.w);
  in.read(x.run_delay);
  in.read(x.idle_cores);
  in.read(x.accept_queue_peak);
  in.read(x.lag_us);
  in.read(x.rps);
  in.read(x.memory_available);
  in.read(x.allows_shrink);
  size_t missing = 0;
  in.read(missing);
  for (; missing > 0 && in.good(); --missing)
    x.missing.emplace_back(in.word());
}

} // namespace

std::string start_line(steady::time_point now, size_t max_instances) {
  return line_writer{"start"}.add(now).add(max_instances).take();
}

std::string pin_line(std::optional<size_t> count) {
  return line_writer{"pin"}.add(count.value_or(0)).take();
}

std::string tick_line(const tick& x) {
  line_writer out{"tick"};
  out.add(x.now).add(static_cast<int>(x.owner)).add(static_cast<int>(x.events.start_failed));
  out.add(static_cast<int>(x.events.instance_failed)).add(static_cast<int>(x.events.steer_failed));
  write(out, x.inputs);
  out.add(x.instances.size());
  for (const auto& each : x.instances) {
    out.add(each.name).add(each.number).add(static_cast<unsigned>(each.state));
    out.add(static_cast<int>(each.healthy)).add(static_cast<int>(each.listens));
    out.add(each.in_flight).add(each.connections).add(each.started);
  }
  return out.take();
}

caf::expected<tick> parse_tick(std::string_view line) {
  tick result;
  line_reader in{line};
  const auto kind = in.word();
  in.read(result.now);
  in.read(result.owner);
  in.read(result.events.start_failed);
  in.read(result.events.instance_failed);
  in.read(result.events.steer_failed);
  read(in, result.inputs);
  size_t count = 0;
  in.read(count);
  for (; count > 0 && in.good(); --count) {
    auto& each = result.instances.emplace_back();
    in.read(each.name);
    in.read(each.number);
    in.read_enum(each.state, 3);
    in.read(each.healthy);
    in.read(each.listens);
    in.read(each.in_flight);
    in.read(each.connections);
    in.read(each.started);
  }
  if (kind != "tick" || !in.at_end())
    return caf::make_error(errc::invalid_argument, "expected a line as tick_line() writes it");
  return result;
}

caf::expected<std::vector<decision>> replay(const std::vector<std::string>& lines,
                                            const scaler_options& options) {
  std::vector<decision> result;
  std::unique_ptr<policy> brain;
  for (size_t i = 0; i < lines.size(); ++i) {
    const auto bad = [i] {
      return caf::make_error(errc::invalid_argument,
                             "line " + std::to_string(i + 1) + " is no start, pin or tick");
    };
    line_reader in{lines[i]};
    const auto kind = in.word();
    if (kind == "start") {
      steady::time_point now;
      size_t max = 0;
      in.read(now);
      in.read(max);
      if (!in.at_end())
        return bad();
      brain = std::make_unique<policy>(options, max, now);
    } else if (kind == "pin") {
      size_t count = 0;
      in.read(count);
      if (!in.at_end())
        return bad();
      if (brain)
        brain->pin(count > 0 ? std::optional{count} : std::nullopt);
    } else {
      auto next = parse_tick(lines[i]);
      if (!next)
        return bad();
      if (brain)
        result.push_back(brain->step(*next));
    }
  }
  return result;
}

} // namespace caf_app::scaler
