#include "nodes/admin_scrape.hpp"

#include <caf/send.hpp>

#include "nodes/admin_reply.hpp"
#include "nodes/merged_metrics.hpp"

namespace caf_app {

namespace {

constexpr std::chrono::milliseconds patience{500};

http_response reply_of(std::string text) {
  return admin_reply::text_reply(200, "text/plain; version=0.0.4; charset=utf-8", std::move(text));
}

} // namespace

caf::result<http_response> admin_scrape::answer() {
  if (!instances_)
    return reply_of(books_->exposition());
  const auto ticket = ++last_;
  auto promise = self_->make_response_promise<caf::typed_response_promise<http_response>>();
  waiting_[ticket] = promise;
  const auto question = instances_->collect(
      [self = caf::actor{self_}, ticket, books = books_](const instance_metrics::texts& texts) {
        caf::anon_send(self, ticket, merged_metrics(books->exposition(), texts));
      });
  self_->delayed_send(self_, patience, caf::tick_atom_v, question);
  return promise;
}

void admin_scrape::deliver(uint64_t ticket, std::string text) {
  if (auto waits = waiting_.extract(ticket))
    waits.mapped().deliver(reply_of(std::move(text)));
}

void admin_scrape::give_up(uint64_t question) const {
  if (instances_)
    instances_->give_up(question);
}

} // namespace caf_app
