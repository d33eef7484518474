// A source of random values for any type that CAF can load: tests fill messages with it without
// knowing their fields. Containers get up to three elements, messages one string.
#pragma once

#include <cstdint>
#include <random>
#include <string>

#include <caf/deserializer.hpp>
#include <caf/error.hpp>

class random_filler final : public caf::deserializer {
public:
  random_filler(caf::execution_unit* ctx, uint32_t seed) : caf::deserializer(ctx), random_(seed) {}

  caf::error begin_object(uint16_t& type, std::string& name) override {
    type = 0;
    name = "@<>+@str";
    return caf::none;
  }
  caf::error end_object() override { return caf::none; }
  caf::error begin_sequence(size_t& size) override {
    size = random_() % 4;
    return caf::none;
  }
  caf::error end_sequence() override { return caf::none; }
  caf::error apply_raw(size_t size, void* data) override {
    for (size_t i = 0; i < size; ++i)
      static_cast<uint8_t*>(data)[i] = static_cast<uint8_t>(random_());
    return caf::none;
  }

protected:
  caf::error apply_impl(int8_t& x) override { return number(x); }
  caf::error apply_impl(uint8_t& x) override { return number(x); }
  caf::error apply_impl(int16_t& x) override { return number(x); }
  caf::error apply_impl(uint16_t& x) override { return number(x); }
  caf::error apply_impl(int32_t& x) override { return number(x); }
  caf::error apply_impl(uint32_t& x) override { return number(x); }
  caf::error apply_impl(int64_t& x) override { return number(x); }
  caf::error apply_impl(uint64_t& x) override { return number(x); }
  caf::error apply_impl(float& x) override { return real(x); }
  caf::error apply_impl(double& x) override { return real(x); }
  caf::error apply_impl(long double& x) override { return real(x); }
  caf::error apply_impl(std::string& x) override { return text(x); }
  caf::error apply_impl(std::u16string& x) override { return text(x); }
  caf::error apply_impl(std::u32string& x) override { return text(x); }

private:
  template <class T>
  caf::error number(T& x) {
    x = static_cast<T>((static_cast<uint64_t>(random_()) << 32) | random_());
    return caf::none;
  }
  template <class T>
  caf::error real(T& x) {
    x = static_cast<T>(random_()) / 7;
    return caf::none;
  }
  template <class T>
  caf::error text(T& x) {
    x.clear();
    for (auto n = random_() % 9; n > 0; --n)
      x.push_back(static_cast<typename T::value_type>(1 + random_() % 127));
    return caf::none;
  }

  std::mt19937 random_;
};
