// A request that says until when its answer is needed: what came over a link with a deadline.
// Actors with asking<> drop it unanswered when that has passed before they got to it.
#pragma once

#include <chrono>
#include <typeinfo>
#include <utility>

#include <caf/mailbox_element.hpp>
#include <caf/message.hpp>

namespace caf_app {

/// An element of a mailbox with a deadline; its content is a whole message.
class dated_element final : public caf::mailbox_element {
public:
  using time_point = std::chrono::steady_clock::time_point;

  dated_element(caf::strong_actor_ptr sender, caf::message_id id, caf::message content,
                time_point deadline)
      : caf::mailbox_element(std::move(sender), id, {}), deadline_(deadline),
        content_(std::move(content)) {}

  caf::type_erased_tuple& content() override { return content_; }
  const caf::type_erased_tuple& content() const override { return content_; }
  caf::message move_content_to_message() override { return std::move(content_); }
  caf::message copy_content_to_message() const override { return content_; }

  /// When its asker gives up.
  time_point deadline() const noexcept { return deadline_; }

  /// @returns null if `x` is no dated element
  static const dated_element* of(const caf::mailbox_element& x) noexcept {
    return typeid(x) == typeid(dated_element) ? static_cast<const dated_element*>(&x) : nullptr;
  }

private:
  time_point deadline_;
  caf::message content_;
};

/// @param id of a request @param deadline after it nobody wants the answer
inline caf::mailbox_element_ptr make_dated_element(caf::strong_actor_ptr sender, caf::message_id id,
                                                   caf::message content,
                                                   dated_element::time_point deadline) {
  return caf::mailbox_element_ptr{
      new dated_element(std::move(sender), id, std::move(content), deadline)};
}

} // namespace caf_app
