#define CAF_SUITE link_handshake
#include "caf_app/cluster/link_handshake.hpp"

#include <functional>
#include <random>

#include <caf/test/unit_test.hpp>

#include "caf_app/cluster/body_codec.hpp"
#include "caf_app/loop/tls_hmac.hpp"
#include "support/seed.hpp"

using namespace caf_app;

namespace {

handshake_options node(link_role role, const std::string& name) {
  handshake_options opts;
  opts.role = role;
  opts.own.cluster = "demo";
  opts.own.node = {name, {name == "a" ? 1u : 2u, 1}};
  opts.own.address = name + ":7101";
  opts.own.caf_node = "node-id-of-" + name;
  opts.own.type_digest = 42;
  opts.own.frame_bytes_max = 1 << 20;
  opts.own.proves_secret = 1;
  opts.own.nonce.fill(name == "a" ? 7 : 9);
  opts.secret = "a secret of some length";
  return opts;
}

using change = std::function<void(handshake_options& dialler, handshake_options& listener)>;

struct outcome {
  link_handshake dialler;
  link_handshake listener;
};

/// Lets "a" dial "b" and hands bytes over in slices until nobody has any.
outcome shake(const change& prepare, size_t slice = 1000, std::string after = "") {
  auto a = node(link_role::dialler, "a");
  auto b = node(link_role::listener, "b");
  if (prepare)
    prepare(a, b);
  outcome both{link_handshake{a}, link_handshake{b}};
  std::string to_b = both.dialler.start();
  std::string to_a = both.listener.start();
  while (!to_a.empty() || !to_b.empty()) {
    auto bytes = to_b.substr(0, slice);
    to_b.erase(0, slice);
    to_a += both.listener.feed(bytes);
    bytes = to_a.substr(0, slice);
    to_a.erase(0, slice);
    const auto before = both.dialler.current();
    to_b += both.dialler.feed(bytes);
    if (before != link_handshake::state::established &&
        both.dialler.current() == link_handshake::state::established)
      to_b += after;
  }
  return both;
}

using state = link_handshake::state;

refusal refused_with(const change& prepare) {
  const auto both = shake(prepare);
  CAF_CHECK(both.dialler.current() == state::refused || both.listener.current() == state::refused);
  const auto& end = both.dialler.current() == state::refused ? both.dialler : both.listener;
  CAF_CHECK(!end.reason().text.empty());
  return end.reason().why;
}

} // namespace

CAF_TEST(two nodes with the same secret meet in every slicing) {
  for (size_t slice = 1; slice < 300; slice += slice < 40 ? 1 : 37) {
    const auto both = shake(nullptr, slice);
    CAF_CHECK(both.dialler.current() == state::established);
    CAF_CHECK(both.listener.current() == state::established);
    CAF_CHECK_EQUAL(both.dialler.peer().node.name, "b");
    CAF_CHECK_EQUAL(both.listener.peer().node.name, "a");
    CAF_CHECK_EQUAL(both.listener.version(), link_version_max);
  }
}

CAF_TEST(bytes after the handshake stay in the reader) {
  std::string frame;
  append_frame(frame, {frame_kind::message, 0, std::string(10'000, 'x')});
  auto both = shake(nullptr, 1 << 20, frame);
  auto reader = both.listener.take_reader();
  const auto first = reader.next();
  CAF_REQUIRE(first);
  CAF_CHECK_EQUAL(first->body.size(), 10'000u);
}

CAF_TEST(a wrong secret is refused and both know why) {
  const auto both = shake([](auto& a, auto&) { a.secret = "another secret"; });
  CAF_CHECK(both.listener.current() == state::refused);
  CAF_CHECK(!both.listener.refused_by_peer());
  CAF_CHECK(both.dialler.current() == state::refused);
  CAF_CHECK(both.dialler.refused_by_peer());
  CAF_CHECK_EQUAL(both.dialler.reason().why, refusal::authentication);
}

CAF_TEST(each mismatch has its reason) {
  const std::pair<refusal, change> table[] = {
      {refusal::cluster_name, [](auto& a, auto&) { a.own.cluster = "other"; }},
      {refusal::types, [](auto&, auto& b) { b.own.type_digest = 43; }},
      {refusal::version,
       [](auto& a, auto&) {
         a.own.version_min = 2;
         a.own.version_max = 3;
       }},
      {refusal::version, [](auto&, auto& b) { b.own.version_min = b.own.version_max = 9; }},
      {refusal::node_id_in_use, [](auto& a, auto& b) { a.own.caf_node = b.own.caf_node; }},
      {refusal::node_id_in_use, [](auto& a, auto&) { a.own.node.name = "b"; }},
      {refusal::wrong_direction, [](auto& a, auto&) { a.own.node.name = "c"; }},
      {refusal::wrong_direction,
       [](auto& a, auto& b) { // who listens nowhere has to dial, and did not
         a.own.address = "127.0.0.1:1";
         b.own.address = "";
       }},
      {refusal::wrong_peer, [](auto& a, auto&) { a.expected_peer = "b2"; }},
      {refusal::protocol_error, [](auto& a, auto&) { a.own.node.life = {}; }},
      {refusal::protocol_error, [](auto& a, auto&) { a.own.node.name = "a\xff"; }},
      {refusal::protocol_error, [](auto& a, auto&) { a.own.node.name.append(255, 'a'); }},
      {refusal::protocol_error,
       [](auto&, auto& b) {
         b.own.roles = {"demo", "a\nb"};
       }},
      {refusal::protocol_error, [](auto& a, auto&) { a.own.address = "a\xff:7101"; }},
      {refusal::protocol_error, [](auto&, auto& b) { b.own.frame_bytes_max = 100; }},
      {refusal::protocol_error, [](auto& a, auto&) { a.own.magic = 1; }},
      {refusal::name_in_use,
       [](auto&, auto& b) {
         b.admit = [](auto&) { return refused_body{refusal::name_in_use, "x"}; };
       }},
      {refusal::leaving,
       [](auto& a, auto&) { a.admit = [](auto&) {
                              return refused_body{refusal::leaving, "x"};
                            }; }},
  };
  for (const auto& [why, prepare] : table)
    CAF_CHECK_EQUAL(refused_with(prepare), why);
}

CAF_TEST(with certificates the name has to be in them and the secret is not asked for) {
  const auto prepare = [](std::vector<std::string> names) {
    return [names](handshake_options& a, handshake_options& b) {
      a.own.proves_secret = b.own.proves_secret = 0;
      a.secret = b.secret = "";
      a.certified_names = std::vector<std::string>{"b"};
      b.certified_names = names;
    };
  };
  CAF_CHECK(shake(prepare({"x", "a"})).listener.current() == state::established);
  CAF_CHECK_EQUAL(refused_with(prepare({"x"})), refusal::authentication);
}

CAF_TEST(an instance shows the certificate of its node) {
  const auto as = [](std::string name, std::vector<std::string> listed = {"a", "b"}) {
    return [=](handshake_options& a, handshake_options& b) {
      a.own.node.name = name;
      a.own.proves_secret = b.own.proves_secret = 0;
      a.secret = b.secret = "";
      a.certified_names = std::vector<std::string>{"b"};
      b.certified_names = std::vector<std::string>{"a"};
      b.listed = listed;
    };
  };
  CAF_CHECK(shake(as("a.2")).listener.current() == state::established);
  CAF_CHECK(shake(as("a.17")).listener.current() == state::established);
  for (const auto* name : {"a.", "a.0", "a.02", "a.x", "a.2x", "a2", "aa.2", "a.2.3"})
    CAF_CHECK_EQUAL(refused_with(as(name)), refusal::authentication);
  CAF_CHECK_EQUAL(refused_with(as("a.2", {"a", "a.2", "b"})), refusal::authentication);
}

CAF_TEST(one side with certificates and the other with the secret is refused) {
  CAF_CHECK_EQUAL(refused_with([](auto& a, auto&) {
                    a.own.proves_secret = 0;
                    a.certified_names = std::vector<std::string>{"b"};
                  }),
                  refusal::authentication);
}

CAF_TEST(nobody is asked to admit a peer that has not proved itself) {
  bool asked = false;
  shake([&](auto& a, auto& b) {
    a.secret = "another secret";
    b.admit = [&](auto&) {
      asked = true;
      return refused_body{};
    };
  });
  CAF_CHECK(!asked);
}

CAF_TEST(the proof of one side is no proof of the other) {
  const auto own = node(link_role::listener, "b");
  const auto forged = node(link_role::dialler, "a").own;
  for (const auto* label : {"caf_app link 1: listener", "caf_app link 1: dialler"}) {
    std::string transcript = label;
    append_body(transcript, body_bytes(forged));
    append_body(transcript, body_bytes(own.own));
    std::string bytes;
    append_frame(bytes, {frame_kind::hello, 0, body_bytes(forged)});
    append_frame(bytes,
                 {frame_kind::auth, 0, body_bytes(auth_body{hmac_sha256(own.secret, transcript)})});
    link_handshake victim{own};
    victim.feed(bytes);
    CAF_CHECK_EQUAL(victim.current() == state::established,
                    label == std::string{"caf_app link 1: dialler"});
  }
}

CAF_TEST(frames out of turn are refused) {
  for (const auto kind : {frame_kind::message, frame_kind::auth, frame_kind::heartbeat}) {
    link_handshake victim{node(link_role::listener, "b")};
    std::string bytes;
    append_frame(bytes, {kind, 0, body_bytes(auth_body{})});
    victim.feed(bytes);
    CAF_CHECK_EQUAL(victim.reason().why, refusal::protocol_error);
  }
}

CAF_TEST(a hello is small) {
  link_handshake victim{node(link_role::listener, "b")};
  victim.feed(std::string{"\0\0\x10\x01", 4});
  CAF_CHECK_EQUAL(victim.reason().why, refusal::protocol_error);
}

CAF_TEST(a deadline that passes is a reason) {
  link_handshake victim{node(link_role::listener, "b")};
  CAF_CHECK(!victim.expire().empty());
  CAF_CHECK_EQUAL(victim.reason().why, refusal::timeout);
}

CAF_TEST(no change to the bytes of a handshake goes through) {
  std::mt19937 random{test_seed()};
  for (int round = 0; round < 2000; ++round) {
    link_handshake a{node(link_role::dialler, "a")};
    link_handshake b{node(link_role::listener, "b")};
    auto to_b = a.start();
    to_b[random() % to_b.size()] ^= static_cast<char>(1 << random() % 8);
    const auto to_a = b.feed(to_b);
    b.feed(a.feed(to_a));
    CAF_REQUIRE(b.current() != state::established);
  }
}
