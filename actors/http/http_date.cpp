#include "actors/http/http_date.hpp"

#include <algorithm>
#include <cstring>

namespace caf_app::http {

namespace {

constexpr std::string_view day_names = "SunMonTueWedThuFriSat";
constexpr std::string_view month_names = "JanFebMarAprMayJunJulAugSepOctNovDec";
constexpr std::array<std::string_view, 7> long_day_names{
    "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday",
};

constexpr int64_t day_seconds = 86400;
constexpr int64_t first_second = -62167219200; // 0000-01-01T00:00:00Z
constexpr int64_t last_second = 253402300799;  // 9999-12-31T23:59:59Z

struct civil {
  int64_t year;
  unsigned month; // 1 to 12
  unsigned day;   // 1 to 31
};

// Days since 1970-01-01 and back, proleptic Gregorian: Howard Hinnant, "chrono-Compatible Low-Level
// Date Algorithms".
int64_t days_of(civil date) noexcept {
  const auto year = date.year - (date.month <= 2 ? 1 : 0);
  const auto era = (year >= 0 ? year : year - 399) / 400;
  const auto year_of_era = static_cast<uint64_t>(year - era * 400);
  const auto shifted = date.month > 2 ? date.month - 3 : date.month + 9;
  const auto day_of_year = (153 * shifted + 2) / 5 + date.day - 1;
  const auto day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * 146097 + static_cast<int64_t>(day_of_era) - 719468;
}

civil civil_of(int64_t days) noexcept {
  days += 719468;
  const auto era = (days >= 0 ? days : days - 146096) / 146097;
  const auto day_of_era = static_cast<uint64_t>(days - era * 146097);
  const auto year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const auto day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const auto shifted = (5 * day_of_year + 2) / 153;
  const auto day = static_cast<unsigned>(day_of_year - (153 * shifted + 2) / 5 + 1);
  const auto month = static_cast<unsigned>(shifted < 10 ? shifted + 3 : shifted - 9);
  return {static_cast<int64_t>(year_of_era) + era * 400 + (month <= 2 ? 1 : 0), month, day};
}

unsigned days_in(int64_t year, unsigned month) noexcept {
  constexpr std::array<unsigned, 12> lengths{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return month == 2 && leap ? 29 : lengths[month - 1];
}

void put_digits(char* at, uint64_t value, int digits) noexcept {
  for (int i = digits - 1; i >= 0; --i, value /= 10)
    at[i] = static_cast<char>('0' + value % 10);
}

// Reads a date from left to right; once something does not fit, everything else is ignored.
class reader {
public:
  explicit reader(std::string_view text) : rest_(text) {}

  void literal(std::string_view expected) noexcept {
    if (rest_.substr(0, expected.size()) == expected)
      rest_.remove_prefix(expected.size());
    else
      good_ = false;
  }

  unsigned number(size_t digits) noexcept {
    unsigned value = 0;
    for (size_t i = 0; i < digits; ++i) {
      if (i >= rest_.size() || rest_[i] < '0' || rest_[i] > '9') {
        good_ = false;
        return 0;
      }
      value = value * 10 + static_cast<unsigned>(rest_[i] - '0');
    }
    rest_.remove_prefix(digits);
    return value;
  }

  // A name of three letters; its place in `names` counted from 1.
  unsigned name(std::string_view names) noexcept {
    const auto wanted = rest_.substr(0, 3);
    for (size_t i = 0; wanted.size() == 3 && i < names.size(); i += 3) {
      if (names.substr(i, 3) == wanted) {
        rest_.remove_prefix(3);
        return static_cast<unsigned>(i / 3 + 1);
      }
    }
    good_ = false;
    return 0;
  }

  // "06", or " 6" as asctime has it.
  unsigned padded_day() noexcept {
    if (rest_.substr(0, 1) != " ")
      return number(2);
    rest_.remove_prefix(1);
    return number(1);
  }

  int64_t time() noexcept {
    const auto hour = number(2);
    literal(":");
    const auto minute = number(2);
    literal(":");
    const auto second = number(2);
    if (hour > 23 || minute > 59 || second > 60)
      good_ = false;
    return hour * 3600 + minute * 60 + std::min(second, 59u);
  }

  std::optional<int64_t> finish(civil date, int64_t time) const noexcept {
    if (!good_ || !rest_.empty() || date.day == 0 || date.day > days_in(date.year, date.month))
      return std::nullopt;
    return days_of(date) * day_seconds + time;
  }

private:
  std::string_view rest_;
  bool good_ = true;
};

// "Sun, 06 Nov 1994 08:49:37 GMT"
std::optional<int64_t> parse_fixdate(std::string_view text) noexcept {
  reader in{text};
  civil date{};
  in.name(day_names);
  in.literal(", ");
  date.day = in.number(2);
  in.literal(" ");
  date.month = in.name(month_names);
  in.literal(" ");
  date.year = in.number(4);
  in.literal(" ");
  const auto time = in.time();
  in.literal(" GMT");
  return in.finish(date, time);
}

// "Sunday, 06-Nov-94 08:49:37 GMT"
std::optional<int64_t> parse_rfc850(std::string_view text, int64_t now) noexcept {
  const auto comma = text.find(',');
  const auto day_name = text.substr(0, comma);
  if (comma == std::string_view::npos ||
      std::find(long_day_names.begin(), long_day_names.end(), day_name) == long_day_names.end())
    return std::nullopt;
  reader in{text.substr(comma)};
  civil date{};
  in.literal(", ");
  date.day = in.number(2);
  in.literal("-");
  date.month = in.name(month_names);
  in.literal("-");
  const auto this_year = civil_of(now / day_seconds).year;
  date.year = this_year - this_year % 100 + in.number(2);
  if (date.year > this_year + 50)
    date.year -= 100;
  in.literal(" ");
  const auto time = in.time();
  in.literal(" GMT");
  return in.finish(date, time);
}

// "Sun Nov  6 08:49:37 1994"
std::optional<int64_t> parse_asctime(std::string_view text) noexcept {
  reader in{text};
  civil date{};
  in.name(day_names);
  in.literal(" ");
  date.month = in.name(month_names);
  in.literal(" ");
  date.day = in.padded_day();
  in.literal(" ");
  const auto time = in.time();
  in.literal(" ");
  date.year = in.number(4);
  return in.finish(date, time);
}

} // namespace

http_date format_http_date(int64_t seconds) noexcept {
  seconds = std::clamp(seconds, first_second, last_second);
  auto days = seconds / day_seconds;
  auto time = seconds % day_seconds;
  if (time < 0) {
    time += day_seconds;
    --days;
  }
  const auto date = civil_of(days);
  const auto week_day = static_cast<size_t>(((days + 4) % 7 + 7) % 7); // 1970-01-01: Thursday
  http_date result;
  std::memcpy(result.data(), "Sun, 00 Jan 0000 00:00:00 GMT", result.size());
  std::memcpy(result.data(), day_names.data() + week_day * 3, 3);
  put_digits(result.data() + 5, date.day, 2);
  std::memcpy(result.data() + 8, month_names.data() + (date.month - 1) * 3, 3);
  put_digits(result.data() + 12, static_cast<uint64_t>(date.year), 4);
  put_digits(result.data() + 17, static_cast<uint64_t>(time / 3600), 2);
  put_digits(result.data() + 20, static_cast<uint64_t>(time / 60 % 60), 2);
  put_digits(result.data() + 23, static_cast<uint64_t>(time % 60), 2);
  return result;
}

std::optional<int64_t> parse_http_date(std::string_view text, int64_t now) noexcept {
  if (text.size() > 3 && text[3] == ',')
    return parse_fixdate(text);
  if (text.size() > 3 && text[3] == ' ')
    return parse_asctime(text);
  return parse_rfc850(text, now);
}

} // namespace caf_app::http
