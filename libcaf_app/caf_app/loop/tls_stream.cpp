#include "caf_app/loop/tls_stream.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace caf_app {

namespace {

constexpr uint64_t queued_enough = 64 * 1024; // in the socket, before the next slice of a file
constexpr size_t slice_bytes = 32 * 1024;     // two records

} // namespace

tls_state tls_stream::receive(std::span<const char> ciphertext, std::string& plaintext) {
  const auto state = session_.receive({ciphertext.data(), ciphertext.size()}, plaintext);
  flush();
  return state;
}

void tls_stream::flush() {
  const auto output = session_.pending_output();
  if (output.empty())
    return;
  if (socket_)
    socket_->write(output);
  session_.sent(output.size());
}

void tls_stream::write(std::string_view plaintext) {
  if (!pieces_.empty()) {
    pieces_.push_back({std::string{plaintext}, nullptr, 0, 0});
    pending_ += plaintext.size();
    return;
  }
  session_.write(plaintext);
  flush();
}

void tls_stream::write_file(std::string_view plaintext, shared_file_ptr file, uint64_t offset,
                            uint64_t length) {
  if (!plaintext.empty())
    write(plaintext);
  if (length == 0)
    return;
  pieces_.push_back({{}, std::move(file), offset, length});
  pending_ += length;
  pump();
}

// Encrypts slices as long as the socket is hungry.
void tls_stream::pump() {
  while (!pieces_.empty() && socket_ && !file_ended_ && socket_->queued() < queued_enough) {
    auto& next = pieces_.front();
    if (!next.bytes.empty()) {
      session_.write(next.bytes);
      pending_ -= next.bytes.size();
      next.bytes.clear();
      flush();
    } else if (next.file && next.length > 0) {
      file_ended_ = !send_slice(next);
    }
    if (next.bytes.empty() && next.length == 0)
      pieces_.pop_front();
  }
  if (finishing_ && pieces_.empty())
    finish();
}

// @returns false if the file has no byte there
bool tls_stream::send_slice(piece& next) {
  std::array<char, slice_bytes> slice;
  const auto wanted = std::min<uint64_t>(next.length, slice.size());
  ssize_t got = 0;
  do
    got = ::pread(next.file->fd(), slice.data(), wanted, static_cast<off_t>(next.offset));
  while (got < 0 && errno == EINTR);
  if (got <= 0)
    return false;
  session_.write({slice.data(), static_cast<size_t>(got)});
  flush();
  next.offset += static_cast<uint64_t>(got);
  next.length -= static_cast<uint64_t>(got);
  pending_ -= static_cast<uint64_t>(got);
  return true;
}

bool tls_stream::on_drained() {
  pump();
  return queued() == 0;
}

void tls_stream::finish() {
  finishing_ = true;
  if (!pieces_.empty())
    return;
  session_.shut_down();
  flush();
  if (socket_)
    socket_->shutdown_write();
}

void tls_stream::say_goodbye() {
  if (queued() > 0 || finishing_)
    return;
  session_.shut_down();
  flush();
}

void tls_stream::release() noexcept {
  socket_ = nullptr;
  pieces_.clear();
  pending_ = 0;
}

} // namespace caf_app
