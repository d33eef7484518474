#include "caf_app/cluster/wire_writer.hpp"

#include <bit>
#include <cmath>
#include <limits>

#include "caf_app/cluster/wire_format.hpp"

namespace caf_app {

template <class T>
void wire_writer::put(T x) {
  char bytes[sizeof(T)];
  for (size_t i = sizeof(T); i-- > 0; x = static_cast<T>(x >> (sizeof(T) > 1 ? 8 : 0)))
    bytes[i] = static_cast<char>(x & 0xff);
  out_.append(bytes, sizeof(T));
}

void wire_writer::put_length(uint64_t x) {
  for (; x > 0x7f; x >>= 7)
    out_.push_back(static_cast<char>((x & 0x7f) | 0x80));
  out_.push_back(static_cast<char>(x));
}

caf::error wire_writer::begin_object(uint16_t& type, std::string& name) {
  if (wire_format::names_refused_type(name))
    return caf::make_error(errc::malformed_message, "type may not cross a link: " + name);
  put(type);
  return type == 0 ? apply_impl(name) : caf::error{};
}

caf::error wire_writer::end_object() { return caf::none; }

caf::error wire_writer::begin_sequence(size_t& size) {
  put_length(size);
  return caf::none;
}

caf::error wire_writer::end_sequence() { return caf::none; }

caf::error wire_writer::apply_raw(size_t size, void* data) {
  out_.append(static_cast<const char*>(data), size);
  return caf::none;
}

caf::error wire_writer::apply_impl(int8_t& x) {
  put(static_cast<uint8_t>(x));
  return caf::none;
}

caf::error wire_writer::apply_impl(uint8_t& x) {
  put(x);
  return caf::none;
}

caf::error wire_writer::apply_impl(int16_t& x) {
  put(static_cast<uint16_t>(x));
  return caf::none;
}

caf::error wire_writer::apply_impl(uint16_t& x) {
  put(x);
  return caf::none;
}

caf::error wire_writer::apply_impl(int32_t& x) {
  put(static_cast<uint32_t>(x));
  return caf::none;
}

caf::error wire_writer::apply_impl(uint32_t& x) {
  put(x);
  return caf::none;
}

caf::error wire_writer::apply_impl(int64_t& x) {
  put(static_cast<uint64_t>(x));
  return caf::none;
}

caf::error wire_writer::apply_impl(uint64_t& x) {
  put(x);
  return caf::none;
}

caf::error wire_writer::apply_impl(float& x) {
  put(std::bit_cast<uint32_t>(x));
  return caf::none;
}

caf::error wire_writer::apply_impl(double& x) {
  put(std::bit_cast<uint64_t>(x));
  return caf::none;
}

caf::error wire_writer::apply_impl(long double& x) {
  static_assert(std::numeric_limits<long double>::digits <= 64, "the mantissa fits 64 bits");
  const auto kind = wire_format::kind_of(x);
  put(static_cast<uint8_t>(static_cast<uint8_t>(kind) | (std::signbit(x) ? 0x80 : 0)));
  if (kind == wire_format::real_kind::finite) {
    int exponent = 0;
    const auto fraction = std::frexp(std::fabs(x), &exponent); // in [0.5, 1)
    put(static_cast<uint32_t>(exponent));
    put(static_cast<uint64_t>(std::ldexp(fraction, 64)));
  }
  return caf::none;
}

caf::error wire_writer::apply_impl(std::string& x) {
  put_length(x.size());
  out_.append(x);
  return caf::none;
}

caf::error wire_writer::apply_impl(std::u16string& x) {
  put_length(x.size());
  for (const auto c : x)
    put(static_cast<uint16_t>(c));
  return caf::none;
}

caf::error wire_writer::apply_impl(std::u32string& x) {
  put_length(x.size());
  for (const auto c : x)
    put(static_cast<uint32_t>(c));
  return caf::none;
}

} // namespace caf_app
