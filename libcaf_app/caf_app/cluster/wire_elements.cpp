#include "caf_app/cluster/wire_elements.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include <caf/detail/dynamic_message_data.hpp>
#include <caf/detail/message_data.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/make_counted.hpp>
#include <caf/type_nr.hpp>
#include <caf/uniform_type_info_map.hpp>

namespace caf_app {

namespace {

/// CAF's own types by name: open addressing, at most a quarter full.
class builtin_types {
public:
  builtin_types() {
    for (uint16_t nr = 1; nr < caf::type_nrs; ++nr) {
      auto at = slot_of(caf::numbered_type_names[nr - 1]);
      while (slots_[at].nr != 0)
        at = (at + 1) % capacity;
      slots_[at] = {caf::numbered_type_names[nr - 1], nr};
    }
  }

  /// @returns 0 if it is none of them
  uint16_t find(std::string_view name) const noexcept {
    for (auto at = slot_of(name); slots_[at].nr != 0; at = (at + 1) % capacity)
      if (slots_[at].name == name)
        return slots_[at].nr;
    return 0;
  }

private:
  struct slot {
    std::string_view name;
    uint16_t nr = 0;
  };

  static constexpr size_t capacity = 256;
  static_assert(caf::type_nrs * 4 <= capacity);

  static size_t slot_of(std::string_view name) noexcept {
    return std::hash<std::string_view>{}(name) % capacity;
  }

  std::array<slot, capacity> slots_;
};

/// A message of one element, as most are.
class single_element final : public caf::detail::message_data {
public:
  explicit single_element(caf::type_erased_value_ptr value)
      : value_(std::move(value)), token_(caf::add_to_type_token(0xFFFFFFFF, value_->type().first)) {
  }

  single_element* copy() const override { return new single_element(value_->copy()); }
  void* get_mutable(size_t) override { return value_->get_mutable(); }
  caf::error load(size_t, caf::deserializer& source) override { return value_->load(source); }
  size_t size() const noexcept override { return 1; }
  uint32_t type_token() const noexcept override { return token_; }
  caf::rtti_pair type(size_t) const noexcept override { return value_->type(); }
  const void* get(size_t) const noexcept override { return value_->get(); }
  std::string stringify(size_t) const override { return value_->stringify(); }
  caf::type_erased_value_ptr copy(size_t) const override { return value_->copy(); }
  caf::error save(size_t, caf::serializer& sink) const override { return value_->save(sink); }

private:
  caf::type_erased_value_ptr value_;
  uint32_t token_;
};

} // namespace

caf::type_erased_value_ptr make_element(const caf::actor_system& system, std::string_view name) {
  static const builtin_types builtin;
  const auto& types = const_cast<caf::actor_system&>(system).types();
  if (const auto nr = builtin.find(name); nr != 0)
    return types.make_value(nr);
  const auto& custom = system.config().value_factories_by_name;
  const auto found = custom.find(std::string{name});
  return found != custom.end() ? found->second() : nullptr;
}

caf::message message_of(std::vector<caf::type_erased_value_ptr> elements) {
  return caf::message{caf::detail::message_data::cow_ptr{
      caf::make_counted<caf::detail::dynamic_message_data>(std::move(elements))}};
}

caf::message message_of(caf::type_erased_value_ptr element) {
  return caf::message{
      caf::detail::message_data::cow_ptr{caf::make_counted<single_element>(std::move(element))}};
}

} // namespace caf_app
