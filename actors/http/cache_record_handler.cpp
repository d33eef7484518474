// How a cache_task keeps a response while it passes, and stores it when it is whole.
#include "actors/http/cache_answer.hpp"
#include "actors/http/cache_task_handler.hpp"

namespace caf_app::http {

void cache_task::record(std::string_view bytes) {
  if (!recorded_)
    return;
  content_.append(bytes);
  if (content_.size() > service_.store->limits().object_max)
    give_up_recording();
}

void cache_task::give_up_recording() {
  if (!recorded_)
    return;
  if (std::exchange(held_, false))
    begin_held();
  recorded_.reset();
  content_ = {};
  end_fill(fill_outcome::not_kept);
}

// It is too large to wait for the whole: the client gets all of it after all.
void cache_task::begin_held() {
  std::vector<field> lines;
  auto status = status_now();
  status.stored = false;
  const auto text = to_string(status);
  open_.begin(head_of(*recorded_, {}, text, lines), promised_);
  open_.write(content_);
}

cache_entry_ptr cache_task::store_recorded() {
  recorded_->body = std::make_shared<const std::string>(std::move(content_));
  const auto entry = std::make_shared<const cache_entry>(std::move(*recorded_));
  recorded_.reset();
  const auto stored = service_.store->insert(key_, entry, since_);
  end_fill(stored ? fill_outcome::stored : fill_outcome::not_kept);
  return entry;
}

} // namespace caf_app::http
