#include "caf_app/eval/numbers.hpp"

#include <limits>
#include <stdexcept>

#include <boost/multiprecision/cpp_int.hpp>

namespace caf_app::eval {

using boost::multiprecision::cpp_int;

struct integer::big {
  cpp_int value;
};

namespace {

/// Beyond that a result is no use to anybody and takes the worker's memory limit with it.
constexpr size_t bits_max = size_t{1} << 26;

} // namespace

void integer::free_big::operator()(big* value) const noexcept { delete value; }

integer::integer(const integer& other)
    : small_(other.small_), big_(other.big_ ? new big{*other.big_} : nullptr) {}
integer::integer(integer&& other) noexcept = default;
integer& integer::operator=(integer&& other) noexcept = default;
integer::~integer() = default;

integer& integer::operator=(const integer& other) {
  if (this != &other)
    *this = integer{other};
  return *this;
}

integer::integer(const big& from) {
  using limits = std::numeric_limits<int64_t>;
  if (from.value >= limits::min() && from.value <= limits::max())
    small_ = static_cast<int64_t>(from.value);
  else
    big_.reset(new big{from});
}

integer integer::from_unsigned(uint64_t value) { return integer{big{cpp_int{value}}}; }

integer::big integer::widen(const integer& value) {
  return value.big_ ? *value.big_ : big{cpp_int{value.small_}};
}

std::optional<integer> integer::parse(std::string_view text) {
  auto digits = text.substr(!text.empty() && text.front() == '-' ? 1 : 0);
  if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos)
    return std::nullopt;
  // A leading zero would make Boost read octal.
  digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size() - 1));
  cpp_int value{std::string{digits}};
  return integer{big{text.front() == '-' ? cpp_int{-value} : std::move(value)}};
}

integer pow(const integer& base, int64_t exponent) {
  if (exponent < 0)
    throw std::domain_error{"negative exponent"};
  const auto wide = integer::widen(base);
  const auto bits = wide.value.is_zero() ? 1 : msb(boost::multiprecision::abs(wide.value)) + 1;
  const auto tiny = bits == 1; // -1, 0 and 1 never grow
  if (!tiny && static_cast<uint64_t>(exponent) > bits_max / bits)
    throw std::overflow_error{"power too large"};
  if (tiny)
    exponent = exponent == 0 ? 0 : 2 - exponent % 2;
  return integer{
      integer::big{boost::multiprecision::pow(wide.value, static_cast<unsigned>(exponent))}};
}

integer operator+(const integer& a, const integer& b) {
  int64_t sum = 0;
  if (!a.big_ && !b.big_ && !__builtin_add_overflow(a.small_, b.small_, &sum))
    return sum;
  return integer{integer::big{integer::widen(a).value + integer::widen(b).value}};
}

integer operator-(const integer& a, const integer& b) {
  int64_t difference = 0;
  if (!a.big_ && !b.big_ && !__builtin_sub_overflow(a.small_, b.small_, &difference))
    return difference;
  return integer{integer::big{integer::widen(a).value - integer::widen(b).value}};
}

integer operator*(const integer& a, const integer& b) {
  int64_t product = 0;
  if (!a.big_ && !b.big_ && !__builtin_mul_overflow(a.small_, b.small_, &product))
    return product;
  return integer{integer::big{integer::widen(a).value * integer::widen(b).value}};
}

integer operator/(const integer& a, const integer& b) {
  if (b == 0)
    throw std::domain_error{"division by zero"};
  return integer{integer::big{integer::widen(a).value / integer::widen(b).value}};
}

integer operator%(const integer& a, const integer& b) {
  if (b == 0)
    throw std::domain_error{"division by zero"};
  return integer{integer::big{integer::widen(a).value % integer::widen(b).value}};
}

std::strong_ordering operator<=>(const integer& a, const integer& b) {
  if (!a.big_ && !b.big_)
    return a.small_ <=> b.small_;
  const auto order = integer::widen(a).value.compare(integer::widen(b).value);
  return order <=> 0;
}

bool integer::is_negative() const noexcept { return big_ ? big_->value.sign() < 0 : small_ < 0; }

std::string integer::to_string() const { return big_ ? big_->value.str() : std::to_string(small_); }

int64_t integer::to_int64() const {
  if (big_)
    throw std::overflow_error{to_string() + " does not fit 64 bits"};
  return small_;
}

nat::nat(integer value) : value_(std::move(value)) {
  if (value_.is_negative())
    throw std::domain_error{value_.to_string() + " is not a natural number"};
}

std::optional<nat> nat::parse(std::string_view text) {
  auto value = integer::parse(text);
  if (!value || value->is_negative())
    return std::nullopt;
  return nat{std::move(*value)};
}

} // namespace caf_app::eval
