#include "caf_app/cluster/link_handshake.hpp"

#include <algorithm>
#include <utility>

#include "caf_app/base/assert.hpp"
#include "caf_app/cluster/body_codec.hpp"
#include "caf_app/loop/tls_hmac.hpp"
#include "caf_app/registry/name_table.hpp"

namespace caf_app {

namespace {

/// One side dials: who cannot be dialled, because it listens nowhere, else the smaller name.
bool has_to_dial(const hello_body& own, const hello_body& peer) {
  if (own.address.empty() != peer.address.empty())
    return own.address.empty();
  return own.node.name < peer.node.name;
}

/// Whether all that nodes tell each other and people of a peer has the letters of names, no more.
bool is_plain_text(const hello_body& peer) {
  const auto plain = [](const std::string& text) { return why_invalid_name(text).empty(); };
  return plain(peer.node.name) && (peer.address.empty() || plain(peer.address)) &&
         std::all_of(peer.roles.begin(), peer.roles.end(), plain);
}

/// Whether `name` is that of an instance of `node`: `node.2`.
bool is_instance(std::string_view node, std::string_view name) {
  if (node.empty() || !name.starts_with(node) || name.size() < node.size() + 2 ||
      name[node.size()] != '.')
    return false;
  const auto number = name.substr(node.size() + 1);
  return number.front() != '0' && number.find_first_not_of("0123456789") == std::string_view::npos;
}

} // namespace

link_handshake::link_handshake(handshake_options opts)
    : opts_(std::move(opts)), own_hello_(body_bytes(opts_.own)) {
  CAF_APP_ASSERT(opts_.own.proves_secret == 0 || !opts_.secret.empty());
  CAF_APP_ASSERT(opts_.own.proves_secret != 0 || opts_.certified_names);
}

std::string link_handshake::start() {
  std::string out;
  if (opts_.role == link_role::dialler)
    append_frame(out, {frame_kind::hello, 0, own_hello_});
  return out;
}

std::string link_handshake::feed(std::string_view bytes) {
  std::string out;
  reader_.append(bytes);
  while (state_ == state::greeting || state_ == state::proving) {
    const auto frame = reader_.next();
    if (!frame) {
      if (reader_.fault() != frame_fault::none)
        out += refuse(refusal::protocol_error, to_string(reader_.fault()));
      break;
    }
    on_frame(*frame, out);
  }
  return out;
}

void link_handshake::on_frame(const frame_view& frame, std::string& out) {
  if (frame.flags != 0) { // the proofs cover bodies: nothing else may say anything
    out += refuse(refusal::protocol_error, "flags in a handshake");
  } else if (frame.kind == frame_kind::refused) {
    reason_ = read_body<refused_body>(frame.body).value_or(refused_body{});
    if (reason_.why == refusal::none)
      reason_.why = refusal::protocol_error;
    refused_by_peer_ = true;
    state_ = state::refused;
  } else if (frame.kind == frame_kind::hello && state_ == state::greeting) {
    on_hello(frame.body, out);
  } else if (frame.kind == frame_kind::auth && state_ == state::proving) {
    on_auth(frame.body, out);
  } else {
    out += refuse(refusal::protocol_error, "a frame out of turn: " + to_string(frame.kind));
  }
}

void link_handshake::on_hello(std::string_view body, std::string& out) {
  auto rest = body;
  const auto magic = take_body<uint32_t>(rest);
  const auto low = take_body<uint16_t>(rest);
  const auto high = take_body<uint16_t>(rest);
  if (!magic || !low || !high || *magic != link_magic) {
    out += refuse(refusal::protocol_error, "no hello");
    return;
  }
  if (*high < opts_.own.version_min || *low > opts_.own.version_max) {
    out += refuse(refusal::version, "versions " + std::to_string(*low) + " to " +
                                        std::to_string(*high) + ", wanted " +
                                        std::to_string(opts_.own.version_min) + " to " +
                                        std::to_string(opts_.own.version_max));
    return;
  }
  auto hello = read_body<hello_body>(body);
  if (!hello) {
    out += refuse(refusal::protocol_error, "a hello that cannot be read");
    return;
  }
  peer_ = std::move(*hello);
  peer_hello_ = body;
  if (auto no = check_hello(); no.why != refusal::none) {
    out += refuse(no.why, std::move(no.text));
    return;
  }
  state_ = state::proving;
  if (opts_.role == link_role::listener)
    append_frame(out, {frame_kind::hello, 0, own_hello_});
  else
    append_auth(out);
}

refused_body link_handshake::check_hello() const {
  const auto& own = opts_.own;
  if (peer_.cluster != own.cluster)
    return {refusal::cluster_name, "\"" + peer_.cluster + "\", wanted \"" + own.cluster + '"'};
  if (peer_.node.name.empty() || !peer_.node.life ||
      peer_.frame_bytes_max < limits::cluster::chunk_bytes)
    return {refusal::protocol_error, "a hello without name, incarnation or frame limit"};
  if (!is_plain_text(peer_))
    return {refusal::protocol_error,
            "name, address or roles are no printable ASCII without blanks"};
  if (peer_.node.name == own.node.name || peer_.caf_node == own.caf_node)
    return {refusal::node_id_in_use,
            "both are " + own.node.name + " or have node id " + own.caf_node};
  if (!opts_.expected_peer.empty() && peer_.node.name != opts_.expected_peer)
    return {refusal::wrong_peer, peer_.node.name + ", wanted " + opts_.expected_peer};
  const bool dials = opts_.role == link_role::dialler;
  if (dials != has_to_dial(own, peer_))
    return {refusal::wrong_direction, own.node.name + " and " + peer_.node.name};
  if (peer_.proves_secret != own.proves_secret)
    return {refusal::authentication, "one side wants certificates, the other the secret"};
  if (peer_.type_digest != own.type_digest)
    return {refusal::types, "digest " + std::to_string(peer_.type_digest) + ", wanted " +
                                std::to_string(own.type_digest)};
  return check_certificate();
}

refused_body link_handshake::check_certificate() const {
  if (!opts_.certified_names)
    return {};
  const auto& certified = *opts_.certified_names;
  const auto& name = peer_.node.name;
  const auto listed =
      std::find(opts_.listed.begin(), opts_.listed.end(), name) != opts_.listed.end();
  if (std::any_of(certified.begin(), certified.end(), [&](const auto& each) {
        return each == name || (!listed && is_instance(each, name));
      }))
    return {};
  return {refusal::authentication, "the certificate does not name " + peer_.node.name};
}

void link_handshake::on_auth(std::string_view body, std::string& out) {
  const auto auth = read_body<auth_body>(body);
  const auto prover = opts_.role == link_role::dialler ? link_role::listener : link_role::dialler;
  if (!auth) {
    out += refuse(refusal::protocol_error, "a proof that cannot be read");
  } else if (opts_.own.proves_secret != 0 &&
             !equal_in_constant_time(auth->proof, proof_of(prover))) {
    out += refuse(refusal::authentication, "wrong secret");
  } else {
    finish(out);
  }
}

void link_handshake::finish(std::string& out) {
  if (opts_.admit) {
    if (auto no = opts_.admit(peer_); no.why != refusal::none) {
      out += refuse(no.why, std::move(no.text));
      return;
    }
  }
  if (opts_.role == link_role::listener)
    append_auth(out);
  state_ = state::established;
}

void link_handshake::append_auth(std::string& out) const {
  const auth_body own{opts_.own.proves_secret != 0 ? proof_of(opts_.role) : link_proof{}};
  append_frame(out, {frame_kind::auth, 0, body_bytes(own)});
}

link_proof link_handshake::proof_of(link_role prover) const {
  const bool dials = opts_.role == link_role::dialler;
  std::string transcript = prover == link_role::dialler ? "caf_app link 1: dialler" //
                                                        : "caf_app link 1: listener";
  append_body(transcript, dials ? own_hello_ : peer_hello_); // with its length
  append_body(transcript, dials ? peer_hello_ : own_hello_);
  return hmac_sha256(opts_.secret, transcript);
}

std::string link_handshake::refuse(refusal why, std::string text) {
  state_ = state::refused;
  reason_ = {why, std::move(text)};
  std::string out;
  append_frame(out, {frame_kind::refused, 0, body_bytes(reason_)});
  return out;
}

uint16_t link_handshake::version() const noexcept {
  return std::min(peer_.version_max, opts_.own.version_max);
}

frame_reader link_handshake::take_reader() {
  CAF_APP_ASSERT(state_ == state::established);
  reader_.limit(opts_.own.frame_bytes_max);
  return std::move(reader_);
}

} // namespace caf_app
