// Reads what wire_writer wrote. It believes nothing: no length beyond the bytes that are left, no
// nesting beyond wire_format::nesting_max, no type that reaches into CAF's internals. It replaces
// CAF's binary_deserializer, which allocates whatever length a peer announces.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <caf/deserializer.hpp>

namespace caf_app {

/// Its errors are malformed_message; after one the rest means nothing.
class wire_reader final : public caf::deserializer {
public:
  /// @param ctx needed for messages and actor handles only, else null
  /// @param bytes have to outlive this object
  wire_reader(caf::execution_unit* ctx, std::string_view bytes)
      : caf::deserializer(ctx), rest_(bytes) {}

  /// What has not been read yet.
  std::string_view rest() const noexcept { return rest_; }

  /// Like begin_object, for the types of a message. `types` is a part of the bytes.
  caf::error begin_message(std::string_view& types);

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
  template <class T, class Raw>
  caf::error take(Raw& x);
  template <class String, class Unit>
  caf::error take_text(String& x);
  caf::error take_length(size_t& size, size_t unit_bytes);

  std::string_view rest_;
  size_t depth_ = 0;
};

} // namespace caf_app
