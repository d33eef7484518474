// Writes values as the bytes of a link frame: integers big endian, floating point bit by bit,
// lengths in LEB128. Its counterpart is wire_reader. It replaces CAF's binary_serializer, which
// loops for ever on infinity and turns NaN and -0 into other numbers.
#pragma once

#include <cstdint>
#include <string>

#include <caf/serializer.hpp>

namespace caf_app {

/// Fails with malformed_message for types that may not cross a link.
class wire_writer final : public caf::serializer {
public:
  /// Appends to `out`, which has to outlive this object.
  /// @param ctx needed for messages and actor handles only, else null
  wire_writer(caf::execution_unit* ctx, std::string& out) : caf::serializer(ctx), out_(out) {}

  caf::error begin_object(uint16_t& type, std::string& name) override;
  caf::error end_object() override;
  caf::error begin_sequence(size_t& size) override;
  caf::error end_sequence() override;
  caf::error apply_raw(size_t size, void* data) override;

protected:
  caf::error apply_impl(int8_t& x) override;
  caf::error apply_impl(uint8_t& x) override;
  caf::error apply_impl(int16_t& x) override;
  caf::error apply_impl(uint16_t& x) override;
  caf::error apply_impl(int32_t& x) override;
  caf::error apply_impl(uint32_t& x) override;
  caf::error apply_impl(int64_t& x) override;
  caf::error apply_impl(uint64_t& x) override;
  caf::error apply_impl(float& x) override;
  caf::error apply_impl(double& x) override;
  caf::error apply_impl(long double& x) override;
  caf::error apply_impl(std::string& x) override;
  caf::error apply_impl(std::u16string& x) override;
  caf::error apply_impl(std::u32string& x) override;

private:
  template <class T>
  void put(T x);
  void put_length(uint64_t x);

  std::string& out_;
};

} // namespace caf_app
