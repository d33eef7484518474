// Whole numbers of any size: `integer`, and `nat`, which is never negative. Arithmetic lives in the
// runtime's library (Boost.Multiprecision), so that including this costs a project no build time.
#pragma once

#include <compare>
#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace caf_app::eval {

/// A whole number of any size. One that fits 64 bits takes no memory of its own.
class integer {
public:
  integer() noexcept = default;
  integer(std::signed_integral auto value) noexcept : small_(value) {}
  integer(std::unsigned_integral auto value) : integer(from_unsigned(value)) {}

  integer(const integer& other);
  integer(integer&& other) noexcept;
  integer& operator=(const integer& other);
  integer& operator=(integer&& other) noexcept;
  ~integer();

  /// @param text decimal digits, optionally after '-'
  /// @returns nothing for any other text
  static std::optional<integer> parse(std::string_view text);

  /// @throws std::domain_error for a negative exponent, std::overflow_error for a result that may
  ///   have more than 2^26 bits (8 MiB): the worker's memory would not last
  friend integer pow(const integer& base, int64_t exponent);

  friend integer operator+(const integer& a, const integer& b);
  friend integer operator-(const integer& a, const integer& b);
  friend integer operator*(const integer& a, const integer& b);
  /// Division truncates towards zero. @throws std::domain_error for a zero divisor
  friend integer operator/(const integer& a, const integer& b);
  /// The remainder has the sign of `a`. @throws std::domain_error for a zero divisor
  friend integer operator%(const integer& a, const integer& b);
  friend integer operator-(const integer& a) { return integer{} - a; }
  integer& operator+=(const integer& b) { return *this = *this + b; }
  integer& operator-=(const integer& b) { return *this = *this - b; }
  integer& operator*=(const integer& b) { return *this = *this * b; }
  integer& operator/=(const integer& b) { return *this = *this / b; }
  integer& operator%=(const integer& b) { return *this = *this % b; }
  integer& operator++() { return *this += 1; }
  integer& operator--() { return *this -= 1; }

  friend std::strong_ordering operator<=>(const integer& a, const integer& b);
  friend bool operator==(const integer& a, const integer& b) { return std::is_eq(a <=> b); }

  bool is_negative() const noexcept;

  /// Decimal digits, after '-' if negative.
  std::string to_string() const;

  /// @throws std::overflow_error if the value does not fit
  int64_t to_int64() const;

private:
  struct big;
  struct free_big {
    void operator()(big* value) const noexcept;
  };
  explicit integer(const big& value);
  static integer from_unsigned(uint64_t value);
  static big widen(const integer& value);

  int64_t small_ = 0;
  std::unique_ptr<big, free_big> big_; ///< set only for values that do not fit `small_`
};

/// A natural number. Going below zero throws std::domain_error, which is the node's error.
class nat {
public:
  nat() noexcept = default;
  nat(std::unsigned_integral auto value) : value_(value) {}
  nat(std::signed_integral auto value) : nat(integer{value}) {}
  /// @throws std::domain_error for a negative value, as the constructor above
  explicit nat(integer value);

  /// @param text decimal digits
  /// @returns nothing for any other text
  static std::optional<nat> parse(std::string_view text);

  /// These throw as those of integer do, and std::domain_error for a difference below zero.
  friend nat pow(const nat& base, int64_t exponent) { return nat{pow(base.value_, exponent)}; }
  friend nat operator+(const nat& a, const nat& b) { return nat{a.value_ + b.value_}; }
  friend nat operator-(const nat& a, const nat& b) { return nat{a.value_ - b.value_}; }
  friend nat operator*(const nat& a, const nat& b) { return nat{a.value_ * b.value_}; }
  friend nat operator/(const nat& a, const nat& b) { return nat{a.value_ / b.value_}; }
  friend nat operator%(const nat& a, const nat& b) { return nat{a.value_ % b.value_}; }
  nat& operator+=(const nat& b) { return *this = *this + b; }
  nat& operator-=(const nat& b) { return *this = *this - b; }
  nat& operator*=(const nat& b) { return *this = *this * b; }
  nat& operator/=(const nat& b) { return *this = *this / b; }
  nat& operator%=(const nat& b) { return *this = *this % b; }
  nat& operator++() { return *this += 1; }
  nat& operator--() { return *this -= 1; }
  friend std::strong_ordering operator<=>(const nat&, const nat&) = default;
  friend bool operator==(const nat&, const nat&) = default;

  const integer& value() const noexcept { return value_; }
  operator const integer&() const noexcept { return value_; }
  std::string to_string() const { return value_.to_string(); }
  /// @throws std::overflow_error if the value does not fit
  int64_t to_int64() const { return value_.to_int64(); }

private:
  integer value_;
};

} // namespace caf_app::eval
