#include "caf_app/cluster/wire_reader.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "caf_app/cluster/wire_format.hpp"

namespace caf_app {

namespace {

caf::error malformed(const char* what) { return caf::make_error(errc::malformed_message, what); }

} // namespace

template <class T, class Raw>
caf::error wire_reader::take(Raw& x) {
  static_assert(sizeof(T) == sizeof(Raw));
  if (rest_.size() < sizeof(T))
    return malformed("ends within a number");
  T y = 0;
  for (size_t i = 0; i < sizeof(T); ++i)
    y = static_cast<T>((static_cast<uint64_t>(y) << 8) | static_cast<uint8_t>(rest_[i]));
  rest_.remove_prefix(sizeof(T));
  x = std::bit_cast<Raw>(y);
  return caf::none;
}

caf::error wire_reader::take_length(size_t& size, size_t unit_bytes) {
  uint64_t x = 0;
  for (unsigned shift = 0;; shift += 7) {
    if (shift > 28 || rest_.empty())
      return malformed("a length has no end");
    const auto byte = static_cast<uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    x |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80)
      break;
  }
  if (x > rest_.size() / unit_bytes)
    return malformed("a length exceeds the bytes that are left");
  size = static_cast<size_t>(x);
  return caf::none;
}

caf::error wire_reader::begin_message(std::string_view& types) {
  uint16_t type = 0;
  if (auto err = take<uint16_t>(type))
    return err;
  if (type != 0)
    return malformed("types are known by name only");
  size_t size = 0;
  if (auto err = take_length(size, 1))
    return err;
  types = rest_.substr(0, size);
  rest_.remove_prefix(size);
  if (wire_format::names_refused_type(types))
    return malformed("a type that may not cross a link");
  if (types == "@<>") // CAF ends no empty message
    return caf::none;
  return ++depth_ > wire_format::nesting_max ? malformed("nested too deep") : caf::error{};
}

caf::error wire_reader::begin_object(uint16_t& type, std::string& name) {
  std::string_view types;
  auto err = begin_message(types);
  type = 0;
  name = types;
  return err;
}

caf::error wire_reader::end_object() {
  --depth_;
  return caf::none;
}

caf::error wire_reader::begin_sequence(size_t& size) {
  if (++depth_ > wire_format::nesting_max)
    return malformed("nested too deep");
  return take_length(size, 1);
}

caf::error wire_reader::end_sequence() {
  --depth_;
  return caf::none;
}

caf::error wire_reader::apply_raw(size_t size, void* data) {
  if (size > rest_.size())
    return malformed("ends within a block of bytes");
  std::memcpy(data, rest_.data(), size);
  rest_.remove_prefix(size);
  return caf::none;
}

caf::error wire_reader::apply_impl(int8_t& x) { return take<uint8_t>(x); }

caf::error wire_reader::apply_impl(uint8_t& x) { return take<uint8_t>(x); }

caf::error wire_reader::apply_impl(int16_t& x) { return take<uint16_t>(x); }

caf::error wire_reader::apply_impl(uint16_t& x) { return take<uint16_t>(x); }

caf::error wire_reader::apply_impl(int32_t& x) { return take<uint32_t>(x); }

caf::error wire_reader::apply_impl(uint32_t& x) { return take<uint32_t>(x); }

caf::error wire_reader::apply_impl(int64_t& x) { return take<uint64_t>(x); }

caf::error wire_reader::apply_impl(uint64_t& x) { return take<uint64_t>(x); }

caf::error wire_reader::apply_impl(float& x) { return take<uint32_t>(x); }

caf::error wire_reader::apply_impl(double& x) { return take<uint64_t>(x); }

caf::error wire_reader::apply_impl(long double& x) {
  using limits = std::numeric_limits<long double>;
  uint8_t head = 0;
  if (auto err = take<uint8_t>(head))
    return err;
  switch (static_cast<wire_format::real_kind>(head & 0x7f)) {
    case wire_format::real_kind::zero: x = 0; break;
    case wire_format::real_kind::infinite: x = limits::infinity(); break;
    case wire_format::real_kind::not_a_number: x = limits::quiet_NaN(); break;
    case wire_format::real_kind::finite: {
      int32_t exponent = 0;
      uint64_t mantissa = 0;
      if (auto err = take<uint32_t>(exponent))
        return err;
      if (auto err = take<uint64_t>(mantissa))
        return err;
      if (exponent < -limits::max_exponent * 2 || exponent > limits::max_exponent)
        return malformed("the exponent of a long double is out of range");
      x = std::ldexp(static_cast<long double>(mantissa), exponent - 64);
      break;
    }
    default: return malformed("unknown kind of long double");
  }
  x = std::copysign(x, (head & 0x80) ? -1.0L : 1.0L);
  return caf::none;
}

caf::error wire_reader::apply_impl(std::string& x) {
  size_t size = 0;
  if (auto err = take_length(size, 1))
    return err;
  x.assign(rest_.substr(0, size));
  rest_.remove_prefix(size);
  return caf::none;
}

template <class String, class Unit>
caf::error wire_reader::take_text(String& x) {
  size_t size = 0;
  if (auto err = take_length(size, sizeof(Unit)))
    return err;
  x.resize(size);
  for (auto& c : x) {
    Unit unit = 0;
    if (auto err = take<Unit>(unit))
      return err;
    c = static_cast<typename String::value_type>(unit);
  }
  return caf::none;
}

caf::error wire_reader::apply_impl(std::u16string& x) {
  return take_text<std::u16string, uint16_t>(x);
}

caf::error wire_reader::apply_impl(std::u32string& x) {
  return take_text<std::u32string, uint32_t>(x);
}

} // namespace caf_app
