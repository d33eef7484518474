// Whole messages of every registered type, and what happens to bytes that are not one.
#define CAF_SUITE wire_message
#include "caf_app/cluster/wire_message.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>
#include <random>
#include <stdexcept>

#include <caf/test/dsl.hpp>

#include "caf_app/cluster/wire_format.hpp"
#include "caf_app/cluster/wire_reader.hpp"
#include "caf_app/cluster/wire_writer.hpp"
#include "caf_app/messages/configure.hpp"
#include "caf_app/messages/http.hpp"
#include "caf_app/messages/json.hpp"
#include "support/random_filler.hpp"
#include "support/seed.hpp"

using namespace caf_app;

namespace {

std::atomic<size_t> largest_allocation{0};

struct config : caf::actor_system_config {
  config() { caf_app::add_messages(*this); }
};

struct unregistered {
  int x = 0;
};

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, unregistered& x) {
  return f(x.x);
}

struct fixture : test_coordinator_fixture<config> {
  caf::execution_unit* ctx = sys.dummy_execution_unit();

  std::string bytes_of(const caf::message& content) {
    std::string out;
    CAF_REQUIRE_EQUAL(write_message(ctx, content, out), caf::none);
    return out;
  }

  std::string bytes_of(const caf::type_erased_value& x) {
    std::string out;
    wire_writer sink{ctx, out};
    CAF_REQUIRE_EQUAL(x.save(sink), caf::none);
    return out;
  }

  /// Fails for handles, and for variants if the index is out of range.
  static bool fill(caf::type_erased_value& x, random_filler& filler) {
    try {
      return !x.load(filler);
    } catch (const std::runtime_error&) {
      return false;
    }
  }

  errc refusal_of(std::string_view bytes) {
    auto content = read_message(ctx, bytes);
    return content ? errc{} : code_of(content.error());
  }
};

} // namespace

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(unregistered)

[[gnu::noinline]] void* operator new(size_t size) {
  largest_allocation = std::max(largest_allocation.load(), size);
  if (void* memory = std::malloc(size))
    return memory;
  throw std::bad_alloc{};
}

[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, size_t) noexcept { std::free(memory); }

CAF_TEST_FIXTURE_SCOPE(wire_message_tests, fixture)

  CAF_TEST(every registered type comes back as it was) {
    random_filler filler{ctx, test_seed()};
    size_t filled = 0;
    for (const auto& [name, factory] : sys.config().value_factories_by_name) {
      for (int round = 0; round < 50; ++round) {
        auto value = factory();
        if (fill(*value, filler))
          ++filled;
        else
          value = factory();
        const auto bytes = bytes_of(*value);
        auto copy = factory();
        wire_reader source{ctx, bytes};
        CAF_CHECK_EQUAL(copy->load(source), caf::none);
        CAF_CHECK(source.rest().empty());
        CAF_CHECK_EQUAL(bytes_of(*copy), bytes);
        CAF_CHECK_EQUAL(copy->stringify(), value->stringify());
      }
    }
    CAF_CHECK(filled > 400); // of at least eight types
  }

  CAF_TEST(a message keeps its elements and their types) {
    const auto content =
        caf::make_message(json_request{"greet", "{}"}, 0.5, std::string{"x"}, true);
    auto copy = read_message(ctx, bytes_of(content));
    CAF_REQUIRE(copy);
    CAF_REQUIRE((copy->match_elements<json_request, double, std::string, bool>()));
    CAF_CHECK_EQUAL(copy->get_as<json_request>(0).method, "greet");
  }

  CAF_TEST(an empty message is a message) {
    auto copy = read_message(ctx, bytes_of(caf::message{}));
    CAF_REQUIRE(copy);
    CAF_CHECK(copy->empty());
  }

  CAF_TEST(an error keeps code and category and text) {
    const auto content = caf::make_message(caf::make_error(errc::not_found, std::string{"x"}));
    auto copy = read_message(ctx, bytes_of(content));
    CAF_REQUIRE(copy);
    CAF_CHECK_EQUAL(describe(copy->get_as<caf::error>(0)), describe(content.get_as<caf::error>(0)));
  }

  CAF_TEST(a type that is not registered is an error and leaves no bytes) {
    std::string out = "before";
    const auto err = write_message(ctx, caf::make_message(unregistered{1}), out);
    CAF_CHECK_EQUAL(code_of(err), errc::malformed_message);
    CAF_CHECK_EQUAL(out, "before");
  }

  CAF_TEST(groups of CAF cross in neither direction) {
    std::string out;
    const auto group = sys.groups().get_local("x");
    CAF_CHECK_EQUAL(code_of(write_message(ctx, caf::make_message(group), out)),
                    errc::malformed_message);
    const std::string name = "@<>+@group";
    CAF_CHECK_EQUAL(refusal_of(std::string{"\0\0", 2} + static_cast<char>(name.size()) + name),
                    errc::malformed_message);
  }

  CAF_TEST(bytes after the message are refused) {
    CAF_CHECK_EQUAL(refusal_of(bytes_of(caf::make_message(1)) + "x"), errc::malformed_message);
  }

  CAF_TEST(messages within messages end at the limit) {
    auto nested = caf::make_message(1);
    for (size_t i = 1; i < wire_format::nesting_max; ++i)
      nested = caf::make_message(std::move(nested), 1); // a single message would not be wrapped
    CAF_CHECK_EQUAL(refusal_of(bytes_of(nested)), errc{});
    CAF_CHECK_EQUAL(refusal_of(bytes_of(caf::make_message(nested, 1))), errc::malformed_message);
  }

  CAF_TEST(a stack of forged messages is refused) {
    const std::string layer = std::string{"\0\0", 2} + "\x0c" + "@<>+@message";
    std::string forged;
    for (int i = 0; i < 200'000; ++i)
      forged += layer;
    CAF_CHECK_EQUAL(refusal_of(forged), errc::malformed_message);
  }

  CAF_TEST(a handle of another node is refused without a registry of proxies) {
    const auto other = caf::make_node_id(1, "0123456789012345678901234567890123456789");
    std::string out;
    wire_writer sink{ctx, out};
    uint16_t zero = 0;
    std::string name = "@<>+@actor";
    CAF_REQUIRE_EQUAL(sink.begin_object(zero, name), caf::none);
    CAF_REQUIRE_EQUAL(sink(caf::actor_id{7}, *other), caf::none);
    CAF_CHECK_EQUAL(refusal_of(out), errc::malformed_message);
  }

  CAF_TEST(mutated messages neither crash nor allocate much) {
    std::mt19937 random{test_seed()};
    http_request request;
    request.fields.assign(5, http_field{"name", "value"});
    request.body = "body";
    const std::string seeds[] = {
        bytes_of(caf::make_message(request)),
        bytes_of(caf::make_message(json_request{"m", "[1,2]"}, 1.5, uint64_t{1})),
        bytes_of(caf::make_message(caf::make_error(errc::busy, std::string{"text"}))),
        bytes_of(caf::make_message(std::u16string(u"abc"), std::u32string(U"abc"), 1.0L)),
        bytes_of(caf::make_message(std::vector<std::string>{"a", "b"}, caf::make_message(1, "x"))),
        bytes_of(caf::make_message(caf::config_value{std::vector<caf::config_value>(3)})),
    };
    size_t accepted = 0;
    for (int round = 0; round < 20'000; ++round) {
      auto bytes = seeds[random() % std::size(seeds)];
      for (auto changes = 1 + random() % 4; changes > 0; --changes) {
        const auto at = random() % bytes.size();
        switch (random() % 4) {
          case 0: bytes[at] = static_cast<char>(random()); break;
          case 1: bytes[at] = static_cast<char>(bytes[at] ^ (1u << random() % 8)); break;
          case 2: bytes.resize(at + 1); break;
          default: bytes.insert(at, std::string(1 + random() % 5, static_cast<char>(0xff)));
        }
      }
      largest_allocation = 0;
      accepted += read_message(ctx, bytes) ? 1 : 0;
      CAF_REQUIRE(largest_allocation < 16 * 1024);
    }
    CAF_CHECK(accepted > 100);
    CAF_CHECK(accepted < 19'000);
  }

  CAF_TEST_FIXTURE_SCOPE_END()
