#include "actors/http/answer_coder_handler.hpp"

#include "actors/http/coded_response.hpp"
#include "actors/http/compressor.hpp"
#include "actors/http/connection_base.hpp"
#include "actors/http/etag.hpp"
#include "actors/http/exchange_filter.hpp"
#include "actors/http/file_answer_handler.hpp"
#include "actors/http/file_limits.hpp"
#include "actors/http/file_request.hpp"
#include "actors/http/h1_chunked.hpp"
#include "actors/http/loop_context.hpp"
#include "actors/http/uncoded_request.hpp"

namespace caf_app::http {

namespace {

/// What this client gets where there is a choice. Who asks for a part gets one of the plain form.
coding wanted_by(const field_list& fields) {
  if (!fields.has(known_field::accept_encoding) || fields.has(known_field::range))
    return coding::identity;
  const auto value = joined(fields, known_field::accept_encoding);
  return choose_coding(accepted_codings{value}, codings).value_or(coding::identity);
}

} // namespace

/// The exchange that the handler answers. A large piece is coded on a worker: meanwhile `busy_`
/// holds, and what the handler goes on to say waits.
class coding_task final : public exchange_task, private exchange_filter {
public:
  coding_task(exchange& open, std::shared_ptr<std::atomic<size_t>> streams)
      : exchange_filter(open), which_(wanted_by(*open.request().fields)),
        head_only_(open.request().method == method::head), streams_(std::move(streams)) {
    if (which_ != coding::identity && open.request().fields->has(known_field::if_none_match))
      uncoded_ = std::make_unique<uncoded_request>(open.request(), which_);
  }

  ~coding_task() override {
    if (coder_)
      --*streams_;
  }

  /// @returns whether the exchange waits for an answer
  bool start(const route_handler& inner) {
    inner_ = inner.start(*this);
    return inner_ || busy_;
  }

  // -- exchange_task ------------------------------------------------------------------------------

  void on_body(std::span<const char> bytes) override {
    if (inner_)
      inner_->on_body(bytes);
  }
  void on_body_end() override {
    if (inner_)
      inner_->on_body_end();
  }
  void on_trailers(std::span<const owned_field> trailers) override {
    if (inner_)
      inner_->on_trailers(trailers);
  }
  void on_room() override {
    if (inner_ && !busy_)
      inner_->on_room();
  }
  bool invites() const override { return !inner_ || inner_->invites(); }
  bool works_on() const override { return inner_ && inner_->works_on(); }

private:
  using exchange_filter::respond;

  // -- what the handler says ----------------------------------------------------------------------

  const request_view& request() const override {
    return uncoded_ ? uncoded_->view : open_.request();
  }

  void respond(const response& answer) override {
    if (answer.status == 304 && uncoded_)
      return repeat_tag(answer);
    if (!depends_on_client(answer, answer.body.size()))
      return respond_plain(answer);
    if (which_ == coding::identity)
      return open_.respond(with_vary(answer, lines_));
    coded_.emplace(answer, which_);
    if (answer.body.size() > limits::http::coding_inline_bytes && open_.context().workers)
      return code_whole_elsewhere(answer.body);
    if (const auto body = compress(which_, answer.body))
      open_.respond(coded_->with(*body));
    else // no memory: who takes a coding takes the plain form too
      open_.respond(with_vary(answer, lines_));
  }

  void begin(const response& head, std::optional<uint64_t> length) override {
    if (head.status == 304 && uncoded_)
      return repeat_tag(head);
    if (!depends_on_client(head, length))
      return open_.begin(is_part_of_codable(head) ? with_vary(head, lines_) : head, length);
    if (which_ == coding::identity)
      return open_.begin(with_vary(head, lines_), length);
    if (head_only_)
      return open_.begin(coded_response{head, which_}.with({}), std::nullopt);
    const auto at_once = fits_here(head.body);
    std::string out;
    auto coder = take_coder(length);
    if (!coder || (at_once && !code(*coder, head.body, out)))
      return open_.begin(with_vary(head, lines_), length); // as above
    coder_ = std::move(coder);
    ++*streams_;
    open_.begin(coded_response{head, which_}.with(out), std::nullopt);
    if (!at_once)
      code_elsewhere(std::string{head.body});
  }

  void write(std::string_view bytes) override {
    if (!coder_)
      return open_.write(bytes);
    if (failed_)
      return;
    if (busy_)
      waiting_ += bytes;
    else if (fits_here(bytes))
      code_here(bytes);
    else
      code_elsewhere(std::string{bytes});
  }

  bool has_room() const override { return !busy_ && open_.has_room(); }

  void finish(std::span<const field> trailers) override {
    if (!coder_)
      return open_.finish(trailers);
    if (failed_)
      return;
    if (busy_) {
      for (const auto& line : trailers)
        trailers_.push_back({std::string{line.name}, std::string{line.value}});
      finished_ = true;
      return;
    }
    std::string out;
    if (!coder_->finish(out))
      return fail();
    open_.write(out);
    open_.finish(trailers);
  }

  void abort() override {
    if (!failed_)
      fail();
  }

  // -- how it is said -----------------------------------------------------------------------------

  std::unique_ptr<compressor> take_coder(std::optional<uint64_t> length) {
    if (*streams_ >= limits::http::coded_streams)
      return nullptr;
    auto made = make_compressor(which_, {}, length);
    return made ? std::move(*made) : nullptr;
  }

  static bool code(compressor& coder, std::string_view bytes, std::string& out) {
    return bytes.empty() || (coder.write(bytes, out) && coder.flush(out));
  }

  // What a worker has, and what the handler goes on to say, is not wanted any more.
  void fail() {
    failed_ = true;
    open_.abort();
  }

  bool fits_here(std::string_view bytes) {
    return bytes.size() <= limits::http::coding_inline_bytes || !open_.context().workers;
  }

  void respond_plain(const response& answer) {
    open_.respond(is_part_of_codable(answer) ? with_vary(answer, lines_) : answer);
  }

  // RFC 9110 §15.4.5: the tag that the client has, not the one that the handler knows.
  void repeat_tag(const response& answer) {
    std::string tag;
    auto lines = std::vector<field>{answer.fields.begin(), answer.fields.end()};
    for (auto& line : lines)
      if (equals_ignoring_case(line.name, "etag")) {
        tag = repeated_etag(uncoded_->asked, line.value, to_string(which_));
        if (tag == line.value)
          return open_.respond(answer);
        line.value = tag;
      }
    auto told = answer;
    told.fields = lines;
    open_.respond(tag.empty() ? answer : with_vary(told, lines_));
  }

  // Large content would keep the loop for milliseconds.
  void code_whole_elsewhere(std::string_view body) {
    auto content = std::make_shared<const std::string>(body);
    auto result = std::make_shared<shared_content>();
    run_elsewhere([result, content, which = which_] { *result = compress(which, *content); },
                  [this, result] {
                    if (*result)
                      open_.respond(coded_->with(**result));
                    else
                      open_.respond_status(500, {}); // no memory for the coder
                  });
  }

  void code_here(std::string_view bytes) {
    std::string out;
    if (!code(*coder_, bytes, out))
      return fail();
    open_.write(out);
  }

  void code_elsewhere(std::string bytes) {
    struct job {
      std::shared_ptr<compressor> coder;
      std::string bytes;
      std::string out;
      bool ok = false;
    };
    auto piece = std::make_shared<job>(job{coder_, std::move(bytes), {}, false});
    run_elsewhere([piece] { piece->ok = code(*piece->coder, piece->bytes, piece->out); },
                  [this, piece] { piece->ok ? coded(piece->out) : fail(); });
  }

  template <class Work, class Done>
  void run_elsewhere(Work work, Done done) {
    busy_ = true;
    open_.context().workers->run(
        std::move(work), [this, done = std::move(done), alive = std::weak_ptr<bool>{alive_}] {
          if (alive.expired() || failed_)
            return; // nobody waits for it
          const auto go_on = [&] {
            busy_ = false;
            done();
          };
          if (auto* owner = open_.owner())
            owner->with_open(open_.id(), [&](exchange&) { go_on(); });
          else
            go_on();
        });
  }

  void coded(std::string_view bytes) {
    const auto alive = std::weak_ptr<bool>{alive_};
    open_.write(bytes);
    if (alive.expired())
      return;
    if (!waiting_.empty()) {
      const auto next = std::exchange(waiting_, {});
      write(next);
      if (alive.expired() || busy_)
        return;
    }
    if (finished_)
      finish_late();
    else if (inner_ && open_.has_room())
      inner_->on_room();
  }

  void finish_late() {
    std::vector<field> lines;
    for (const auto& [name, value] : trailers_)
      lines.push_back({name, value});
    finish(lines);
  }

  const coding which_;
  const bool head_only_;
  std::shared_ptr<std::atomic<size_t>> streams_;
  bool busy_ = false;
  bool failed_ = false;
  bool finished_ = false; // the handler has said all
  std::unique_ptr<uncoded_request> uncoded_;
  std::unique_ptr<exchange_task> inner_;
  std::vector<field> lines_;            // scratch
  std::optional<coded_response> coded_; // waits for its content
  std::shared_ptr<compressor> coder_;   // of a streamed answer
  std::string waiting_;
  std::vector<owned_field> trailers_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

std::unique_ptr<exchange_task> answer_coder_handler::start(exchange& open) const {
  auto task = std::make_unique<coding_task>(open, streams_);
  if (!task->start(*inner_))
    return nullptr;
  return task;
}

} // namespace caf_app::http
