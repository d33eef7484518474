#include "actors/http/file_handler.hpp"

#include "actors/http/connection_base.hpp"
#include "actors/http/file_limits.hpp"

namespace caf_app::http {

namespace {

constexpr int searches_max = 3; // for a file that changes each time it is looked at
const field retry_after{"Retry-After", "1"};

std::chrono::sys_seconds now_of(loop_context& context) {
  return std::chrono::sys_seconds{std::chrono::seconds{context.date_seconds()}};
}

} // namespace

/// A request that waits for a worker.
class file_handler::task final : public exchange_task {
public:
  task(const file_handler& handler, exchange& open)
      : handler_(handler), open_(open), request_(open.request().method, *open.request().fields),
        below_(open.request().below), path_(open.request().path), query_(open.request().query),
        key_(handler.key(below_)), counters_(open.context().counters) {
    request_.keep();
    counters_->in_flight(wait_state::local).add();
  }

  ~task() override {
    *self_ = nullptr;
    counters_->in_flight(wait_state::local).sub();
  }

  void on_body(std::span<const char>) override {}
  void on_body_end() override {}

  void search() {
    ++searches_;
    auto& files = *open_.context().files;
    if (!files.join(key_, [self = self_](const found& result) {
          if (*self)
            (*self)->resume([&](task& me) { me.on_found(result); });
        }))
      return;
    auto result = std::make_shared<found>();
    open_.context().workers->run(
        [result, rules = handler_.rules_, below = below_, path = path_] {
          *result = find_file(*rules, below, path);
        },
        [result, files = open_.context().files, key = key_, &now = open_.context().now] {
          if (result->file)
            result->file = files->insert(key, result->file, now);
          files->settle(key, *result);
        });
  }

  /// Answers with `entry`, or waits for a worker once more.
  void answer(const file_entry_ptr& entry) {
    auto options = handler_.options_;
    if (!may_code_)
      options.codings = coding_mode::as_stored;
    const auto last = searches_ >= searches_max;
    const auto step =
        answer_file(open_, *entry, request_.view(), options, now_of(open_.context()), last);
    switch (step.step) {
      case file_step::answered: return;
      case file_step::reopen: open_.context().files->erase(key_); return search();
      case file_step::code: return code(entry, step.wanted);
    }
  }

private:
  using self_ptr = std::shared_ptr<task*>;

  // The exchange may have been cancelled, and with it this task: then nobody comes here.
  template <class F>
  void resume(F call) {
    if (auto* owner = open_.owner())
      owner->with_open(open_.id(), [&](exchange&) { call(*this); });
    else
      call(*this);
  }

  void on_found(const found& result) {
    switch (result.kind) {
      case found_kind::file: return answer(result.file);
      case found_kind::page: return respond_page(result.page);
      case found_kind::directory: return redirect();
      case found_kind::forbidden: return respond_status(403);
      case found_kind::not_found: return respond_status(404);
      case found_kind::busy:
        open_.context().files->clear(); // its descriptors are what is missing
        return open_.refuse(fault::shed, {&retry_after, 1});
    }
  }

  void respond_status(uint16_t status) {
    std::vector<field> fields;
    add_missing(fields, handler_.entry_.headers);
    open_.respond_status(status, fields);
  }

  void respond_page(std::string_view page) {
    std::vector<field> fields;
    add_missing(fields, handler_.entry_.headers);
    open_.respond({200, "text/html; charset=utf-8", fields, page});
  }

  void redirect() {
    const auto location = directory_location(path_, query_);
    std::vector<field> fields{{"Location", location, known_field::location}};
    add_missing(fields, handler_.entry_.headers);
    const auto reads = request_.view().method == method::get;
    open_.respond_status(reads || request_.view().method == method::head ? 301 : 308, fields);
  }

  void code(const file_entry_ptr& entry, coding which) {
    const auto& form = entry->forms.front();
    if (form.content && form.content->size() <= limits::http::coding_inline_bytes)
      return coded(entry, which, compress(which, *form.content));
    auto& files = *open_.context().files;
    const auto key = key_ + '\n' + std::string{to_string(which)}; // no path holds a line end
    if (!files.join(key, [self = self_, entry, which](const found&) {
          if (*self)
            (*self)->resume([&](task& me) {
              me.coded(entry, which, entry->coded[static_cast<size_t>(which)]);
            });
        }))
      return;
    struct coding_job { // off the loop
      coding which;
      shared_file_ptr file;
      uint64_t size;
      shared_content result;
    };
    auto job = std::make_shared<coding_job>(coding_job{which, form.file, form.facts.size, nullptr});
    open_.context().workers->run(
        [job] {
          if (const auto content = read_whole(*job->file, job->size))
            job->result = compress(job->which, *content);
        },
        [job, entry, key, file_key = key_, files = open_.context().files] {
          entry->coded[static_cast<size_t>(job->which)] = job->result;
          files->grown(file_key);
          files->settle(key, {});
        });
  }

  void coded(const file_entry_ptr& entry, coding which, shared_content result) {
    entry->coded[static_cast<size_t>(which)] = std::move(result);
    open_.context().files->grown(key_);
    may_code_ = entry->coded[static_cast<size_t>(which)] != nullptr;
    answer(entry);
  }

  const file_handler& handler_;
  exchange& open_;
  file_request request_;
  std::string below_;
  std::string path_;
  std::string query_;
  std::string key_;
  std::shared_ptr<const http_metrics> counters_;
  int searches_ = 0;
  bool may_code_ = true;
  self_ptr self_ = std::make_shared<task*>(this); // null once this is gone
};

caf::expected<std::unique_ptr<route_handler>>
file_handler::make(const route_entry& entry, uint64_t id, std::string_view server) {
  if (auto err = check_root(entry.config.files.root))
    return err;
  return std::unique_ptr<route_handler>{new file_handler(entry, id, server)};
}

file_handler::file_handler(const route_entry& entry, uint64_t id, std::string_view server)
    : entry_(entry), rules_(std::make_shared<file_rules>(entry.config.files)),
      prefix_(std::to_string(id)), server_(server) {
  options_.codings = entry.config.compress ? coding_mode::on_the_fly : coding_mode::as_stored;
  options_.max_age = entry.config.max_age;
  options_.headers = &entry.headers;
  options_.server = server_;
}

std::unique_ptr<exchange_task> file_handler::start(exchange& open) const {
  const auto& request = open.request();
  if (request.method != method::get && request.method != method::head) {
    const field allow{"Allow", "GET, HEAD, OPTIONS"};
    open.refuse(fault::method_refused, {&allow, 1});
    return nullptr;
  }
  auto& context = open.context();
  context.key_scratch.assign(prefix_).append(request.below);
  auto fresh = context.files->find(context.key_scratch, context.now);
  if (fresh) {
    const file_request wanted{request.method, *request.fields};
    if (answer_simple(open, *fresh, wanted))
      return nullptr;
    const auto step = answer_file(open, *fresh, wanted.view(), options_, now_of(context), false);
    if (step.step == file_step::answered)
      return nullptr;
    if (step.step == file_step::reopen)
      context.files->erase(context.key_scratch);
    else if (const auto& form = fresh->forms.front();
             form.content && form.content->size() <= limits::http::coding_inline_bytes) {
      auto& place = fresh->coded[static_cast<size_t>(step.wanted)];
      place = compress(step.wanted, *form.content);
      auto options = options_;
      if (!place)
        options.codings = coding_mode::as_stored;
      context.files->grown(context.key_scratch);
      answer_file(open, *fresh, wanted.view(), options, now_of(context), true);
      return nullptr;
    }
  }
  auto waiting = std::make_unique<task>(*this, open);
  if (fresh && fresh == context.files->find(context.key_scratch, context.now))
    waiting->answer(fresh); // it needs a worker
  else
    waiting->search();
  return waiting;
}

} // namespace caf_app::http
