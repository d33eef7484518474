#include "caf_app/registry/harden.hpp"

#include <exception>
#include <string>

#include <caf/all.hpp>

#include "caf_app/base/error.hpp"
#include "caf_app/registry/actor_hooks.hpp"

namespace caf_app {

namespace {

void count(caf::scheduled_actor* self, counter actor_hooks::*which, const std::string& what) {
  auto* hooks = hooks_of(self->system());
  if (!hooks)
    return;
  (hooks->*which).add();
  if (hooks->report)
    hooks->report(*self, what);
}

/// Types only: the content may be large, or secret.
std::string types_of(caf::scheduled_actor* self, const caf::type_erased_tuple& content) {
  std::string result;
  for (size_t i = 0; i < content.size(); ++i) {
    result += i == 0 ? "(" : ", ";
    result += self->system().types().portable_name(content.type(i));
  }
  return result.empty() ? "an empty message" : result + ")";
}

caf::result<caf::message> on_unhandled(caf::scheduled_actor* self, caf::message_view& message) {
  auto what = "no handler for " + types_of(self, message.content());
  count(self, &actor_hooks::unhandled_messages, what);
  if (self->current_message_id().is_request())
    return caf::make_error(errc::unhandled_message, std::move(what));
  return caf::delegated<caf::message>{}; // nothing goes back to the sender
}

void on_error(caf::scheduled_actor* self, caf::error& err) {
  count(self, &actor_hooks::errors_received, "unexpected error message: " + describe(err));
}

std::string text_of(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& err) {
    return err.what();
  } catch (...) {
    return "an exception of unknown type";
  }
}

caf::error on_exception(caf::scheduled_actor* self, std::exception_ptr& thrown) {
  auto text = text_of(thrown);
  count(self, &actor_hooks::handler_failures, "exception in a handler: " + text);
  return caf::make_error(errc::handler_failed, std::move(text));
}

} // namespace

void harden(caf::scheduled_actor* self) {
  self->set_default_handler(on_unhandled);
  self->set_error_handler(on_error);
  self->set_down_handler([](caf::scheduled_actor*, caf::down_msg&) {});
  self->set_exception_handler(on_exception);
}

} // namespace caf_app
