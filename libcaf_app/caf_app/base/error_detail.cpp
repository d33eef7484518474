#include "caf_app/base/error_detail.hpp"

#include "caf_app/base/error.hpp"

std::string caf_app::detail_of(const caf::error& err) {
  if (code_of(err) != errc{} && err.context().match_elements<std::string>())
    return err.context().get_as<std::string>(0);
  return describe(err);
}
