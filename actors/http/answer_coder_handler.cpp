#include "actors/http/answer_coder_handler.hpp"

#include "actors/http/connection_base.hpp"
#include "actors/http/file_answer_handler.hpp"
#include "actors/http/file_limits.hpp"
#include "actors/http/file_request.hpp"
#include "actors/http/loop_context.hpp"

namespace caf_app::http {

answer_coder::answer_coder(const exchange& open, const route_entry& entry) {
  const auto& fields = *open.request().fields;
  on_ = entry.config.compress && !fields.has(known_field::range);
  if (on_ && fields.has(known_field::accept_encoding))
    accept_encoding_ = joined(fields, known_field::accept_encoding);
}

void answer_coder::respond(exchange& open, const response& answer) {
  if (!on_ || !depends_on_client(answer, answer.body.size()))
    return open.respond(answer);
  coded_.emplace(answer, coding_for(answer, answer.body.size(), accept_encoding_));
  if (coded_->which() == coding::identity)
    open.respond(coded_->with(answer.body));
  else if (answer.body.size() <= limits::http::coding_inline_bytes || !open.context().workers)
    respond_coded(open, compress(coded_->which(), answer.body));
  else
    code_elsewhere(open, answer.body);
}

// Large content would keep the loop for milliseconds.
void answer_coder::code_elsewhere(exchange& open, std::string_view body) {
  auto content = std::make_shared<const std::string>(body);
  auto result = std::make_shared<shared_content>();
  open.context().workers->run(
      [result, content, which = coded_->which()] { *result = compress(which, *content); },
      [result, content, alive = std::weak_ptr<bool>{alive_}, this, own = &open,
       owner = open.owner(), id = open.id()] {
        if (alive.expired())
          return; // the client is gone
        owner->with_open(id, [&](exchange&) { respond_coded(*own, *result); });
      });
}

void answer_coder::respond_coded(exchange& open, const shared_content& body) {
  if (!body)
    return open.respond_status(500); // no memory for the coder
  open.respond(coded_->with(*body));
}

void answer_coder::begin(exchange& open, const response& head, std::optional<uint64_t> length) {
  if (!on_ || !depends_on_client(head, length))
    return open.begin(head, length);
  auto which = coding_for(head, length, accept_encoding_);
  if (which != coding::identity) {
    auto coder = make_compressor(which, {}, length);
    if (coder)
      stream_ = std::move(*coder);
    else
      which = coding::identity; // no memory: the client takes that too
  }
  coded_.emplace(head, which);
  if (!stream_)
    return open.begin(coded_->with(head.body), length);
  scratch_.clear();
  if (!head.body.empty() && (!stream_->write(head.body, scratch_) || !stream_->flush(scratch_)))
    return open.respond_status(500); // no memory for the coder
  open.begin(coded_->with(scratch_), std::nullopt);
}

void answer_coder::write(exchange& open, std::string_view bytes) {
  if (!stream_)
    return open.write(bytes);
  if (bytes.empty())
    return;
  scratch_.clear();
  if (!stream_->write(bytes, scratch_) || !stream_->flush(scratch_))
    return open.abort();
  open.write(scratch_);
}

void answer_coder::finish(exchange& open, std::span<const field> trailers) {
  if (stream_) {
    scratch_.clear();
    if (!stream_->finish(scratch_))
      return open.abort();
    open.write(scratch_);
  }
  open.finish(trailers);
}

} // namespace caf_app::http
