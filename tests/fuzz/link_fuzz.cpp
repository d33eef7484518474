// Bytes from the network up to the first decisions: frames and chunks, the handshake of a listener,
// and every body that a link or the cluster core reads.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "caf_app/cluster/body_codec.hpp"
#include "caf_app/cluster/cluster_core.hpp"
#include "caf_app/cluster/frame_reader.hpp"
#include "caf_app/cluster/link_handshake.hpp"

using namespace caf_app;

namespace {

const std::chrono::steady_clock::time_point start{std::chrono::hours{1}};

void shake(std::string_view bytes, size_t slice) {
  handshake_options opts;
  opts.role = link_role::listener;
  opts.own.cluster = "c";
  opts.own.node = {"b", {2, 2}};
  opts.own.caf_node = "b";
  opts.own.frame_bytes_max = 1 << 20;
  opts.own.proves_secret = 1;
  opts.secret = "secret";
  link_handshake victim{opts};
  for (size_t i = 0; i < bytes.size(); i += slice)
    victim.feed(bytes.substr(i, slice));
  if (victim.current() == link_handshake::state::established)
    std::abort(); // nobody guesses the secret
}

void run_core(std::string_view bytes, size_t slice) {
  cluster_core::options opts;
  opts.members.own.id = {"b", {2, 2}};
  opts.members.voters = {"a", "b", "c"};
  cluster_core core{opts, start};
  member_record peer;
  peer.id = {"a", {1, 1}};
  core.link_up(peer, start);
  frame_reader reader{1 << 20};
  auto now = start;
  size_t given = 0;
  for (size_t i = 0; i < bytes.size(); i += slice) {
    reader.append(bytes.substr(i, slice));
    given += slice;
    while (const auto frame = reader.next()) {
      now += std::chrono::milliseconds{50};
      core.on_frame(peer.id, frame->kind, frame->body, now);
      core.tick(now);
      core.take_effects();
    }
    if (reader.held() > given)
      std::abort();
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 1)
    return 0;
  const std::string_view bytes{reinterpret_cast<const char*>(data) + 1, size - 1};
  const size_t slice = data[0] % 64 + 1;
  shake(bytes, slice);
  run_core(bytes, slice);
  for (auto rest = bytes; const auto head = take_body<message_head>(rest);) {
    read_body<down_body>(rest);
    read_body<error_reply_body>(rest);
    read_body<publish_head>(rest);
  }
  return 0;
}
