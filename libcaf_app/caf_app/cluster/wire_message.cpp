#include "caf_app/cluster/wire_message.hpp"

#include <algorithm>
#include <exception>
#include <utility>
#include <vector>

#include "caf_app/base/error.hpp"
#include "caf_app/cluster/wire_elements.hpp"
#include "caf_app/cluster/wire_reader.hpp"
#include "caf_app/cluster/wire_writer.hpp"

namespace caf_app {

namespace {

caf::error malformed(const caf::error& why) {
  if (code_of(why) == errc::malformed_message)
    return why;
  return caf::make_error(errc::malformed_message, describe(why));
}

/// The values of a message, whose types are named as CAF does: "@<>+@str+@u64".
caf::error read_elements(wire_reader& source, std::string_view types,
                         std::vector<caf::type_erased_value_ptr>& elements) {
  constexpr std::string_view front = "@<>+";
  if (!types.starts_with(front))
    return caf::sec::unknown_type;
  types.remove_prefix(front.size());
  for (bool more = true; more;) {
    const auto end = std::min(types.find('+'), types.size());
    const auto name = types.substr(0, end);
    auto value = make_element(source.context()->system(), name);
    if (!value)
      return caf::make_error(caf::sec::unknown_type, std::string{name});
    if (auto err = value->load(source))
      return err;
    elements.push_back(std::move(value));
    more = end < types.size();
    types.remove_prefix(more ? end + 1 : end);
  }
  return source.end_object();
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
    std::string_view types;
    std::vector<caf::type_erased_value_ptr> elements;
    if (auto err = source.begin_message(types))
      return malformed(err);
    if (types != "@<>")
      if (auto err = read_elements(source, types, elements))
        return malformed(err);
    if (!source.rest().empty())
      return caf::make_error(errc::malformed_message, "bytes are left after the message");
    if (elements.empty())
      return caf::message{};
    return elements.size() == 1 ? message_of(std::move(elements.front()))
                                : message_of(std::move(elements));
  } catch (const std::exception& thrown) {
    return caf::make_error(errc::malformed_message, std::string{thrown.what()});
  }
}

} // namespace caf_app
