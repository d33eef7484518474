#include "actors/http/fcgi_codec.hpp"

#include <algorithm>

namespace caf_app::http {

namespace {

constexpr unsigned char version = 1;
constexpr unsigned char request_id = 1;
constexpr size_t record_max = 65'535;
constexpr size_t head_bytes = 8;

enum record : unsigned char {
  begin_request = 1,
  abort_request = 2,
  end_request = 3,
  params = 4,
  standard_input = 5,
  standard_output = 6,
  standard_error = 7,
};

void append_head(std::string& out, record type, size_t length) {
  const unsigned char head[head_bytes]{version,
                                       type,
                                       0,
                                       request_id,
                                       static_cast<unsigned char>(length >> 8),
                                       static_cast<unsigned char>(length & 255),
                                       0,
                                       0};
  out.append(reinterpret_cast<const char*>(head), sizeof head);
}

void append_stream(std::string& out, record type, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto piece = bytes.substr(0, record_max);
    append_head(out, type, piece.size());
    out += piece;
    bytes.remove_prefix(piece.size());
  }
}

// One byte up to 127, else four with the highest bit set.
void append_length(std::string& out, size_t length) {
  if (length < 128) {
    out += static_cast<char>(length);
    return;
  }
  for (const int shift : {24, 16, 8, 0})
    out += static_cast<char>(((length >> shift) & 255) | (shift == 24 ? 128 : 0));
}

} // namespace

void append_fcgi_begin(std::string& out) {
  append_head(out, begin_request, 8);
  const char body[8]{0, 1, 1, 0, 0, 0, 0, 0}; // responder, FCGI_KEEP_CONN
  out.append(body, sizeof body);
}

void append_fcgi_pair(std::string& out, std::string_view name, std::string_view value) {
  append_length(out, name.size());
  append_length(out, value.size());
  out.append(name).append(value);
}

void append_fcgi_params(std::string& out, std::string_view pairs) {
  append_stream(out, params, pairs);
  append_head(out, params, 0);
}

void append_fcgi_stdin(std::string& out, std::string_view bytes) {
  append_stream(out, standard_input, bytes);
}

void append_fcgi_stdin_end(std::string& out) { append_head(out, standard_input, 0); }

void append_fcgi_abort(std::string& out) { append_head(out, abort_request, 0); }

fcgi_step fcgi_reader::on_header() {
  type_ = head_[1];
  content_ = static_cast<size_t>(head_[4]) << 8 | head_[5];
  padding_ = head_[6];
  const auto ours = head_[2] == 0 && head_[3] == request_id;
  const auto known = type_ == end_request || type_ == standard_output || type_ == standard_error;
  fcgi_step step;
  if (head_[0] != version || !ours || !known || (type_ == end_request && content_ != 8))
    step.event = fcgi_event::bad;
  end_.clear();
  return step;
}

fcgi_step fcgi_reader::feed(std::span<const char> bytes) {
  fcgi_step step;
  while (step.consumed < bytes.size()) {
    const auto rest = bytes.subspan(step.consumed);
    if (head_size_ < head_bytes) {
      const auto n = std::min(rest.size(), head_bytes - head_size_);
      std::copy_n(rest.begin(), n, head_ + head_size_);
      head_size_ += n;
      step.consumed += n;
      if (head_size_ == head_bytes && on_header().event == fcgi_event::bad) {
        step.event = fcgi_event::bad;
        return step;
      }
    } else if (content_ > 0) {
      const auto n = std::min(rest.size(), content_);
      content_ -= n;
      step.consumed += n;
      if (type_ != end_request) {
        step.data = rest.first(n);
        step.event = type_ == standard_output ? fcgi_event::output : fcgi_event::errors;
        if (content_ + padding_ == 0)
          head_size_ = 0;
        return step;
      }
      end_.append(rest.data(), n);
    } else {
      const auto n = std::min(rest.size(), padding_);
      padding_ -= n;
      step.consumed += n;
    }
    if (head_size_ < head_bytes || content_ + padding_ > 0)
      continue;
    head_size_ = 0;
    if (type_ != end_request)
      continue;
    const auto byte = [&](size_t i) { return static_cast<unsigned char>(end_[i]); };
    app_status_ = uint32_t{byte(0)} << 24 | uint32_t{byte(1)} << 16 | uint32_t{byte(2)} << 8 |
                  uint32_t{byte(3)};
    status_ = static_cast<fcgi_status>(std::min<unsigned char>(byte(4), 3));
    step.event = fcgi_event::end;
    return step;
  }
  return step;
}

} // namespace caf_app::http
