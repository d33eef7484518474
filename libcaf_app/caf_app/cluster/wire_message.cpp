#include "caf_app/cluster/wire_message.hpp"

#include <exception>

#include "caf_app/base/error.hpp"
#include "caf_app/cluster/wire_reader.hpp"
#include "caf_app/cluster/wire_writer.hpp"

namespace caf_app {

namespace {

caf::error malformed(const caf::error& why) {
  if (code_of(why) == errc::malformed_message)
    return why;
  return caf::make_error(errc::malformed_message, describe(why));
}

template <class Save>
caf::error write_with(caf::execution_unit* ctx, std::string& out, Save save) {
  const auto before = out.size();
  try {
    wire_writer sink{ctx, out};
    auto err = save(sink);
    if (!err)
      return caf::none;
    out.resize(before);
    return malformed(err);
  } catch (const std::exception& thrown) {
    out.resize(before);
    return caf::make_error(errc::malformed_message, std::string{thrown.what()});
  }
}

} // namespace

caf::error write_message(caf::execution_unit* ctx, const caf::type_erased_tuple& content,
                         std::string& out) {
  return write_with(ctx, out, [&](caf::serializer& sink) {
    return caf::message::save(sink, content); // the tuple's own function writes no types
  });
}

caf::error write_message(caf::execution_unit* ctx, const caf::message& content, std::string& out) {
  return write_with(ctx, out, [&](caf::serializer& sink) { return content.save(sink); });
}

caf::expected<caf::message> read_message(caf::execution_unit* ctx, std::string_view bytes) {
  try {
    wire_reader source{ctx, bytes};
    caf::message content;
    if (auto err = content.load(source))
      return malformed(err);
    if (!source.rest().empty())
      return caf::make_error(errc::malformed_message, "bytes are left after the message");
    return content;
  } catch (const std::exception& thrown) {
    return caf::make_error(errc::malformed_message, std::string{thrown.what()});
  }
}

} // namespace caf_app
