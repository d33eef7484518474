#include "caf_app/messages/configure.hpp"

#include "caf_app/base/error.hpp"
#include "caf_app/messages/type_ids.hpp"

namespace caf_app {

void add_messages(caf::actor_system_config& config) {
  config.add_message_types<caf::id_block::caf_app>();
  config.add_error_category(caf::atom("caf_app"),
                            [](uint8_t code, caf::atom_value, const caf::message& context) {
                              return to_string(static_cast<errc>(code)) +
                                     (context.empty() ? "" : ": " + caf::to_string(context));
                            });
}

} // namespace caf_app
