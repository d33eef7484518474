// Serves files below a directory. What is open and fresh is answered at once; anything else is
// looked for on a worker while the exchange waits, once for all who ask for the same path:
//
//   start --fresh entry--> answered
//     '---> searching (worker) --found--> answered
//                                  '----> coding (worker, above 32 KiB) --> answered
#pragma once

#include <memory>
#include <string>

#include <caf/expected.hpp>

#include "actors/http/exchange.hpp"
#include "actors/http/file_answer_handler.hpp"
#include "actors/http/file_finder_handler.hpp"
#include "actors/http/loop_context.hpp"
#include "actors/http/site_table.hpp"

namespace caf_app::http {

class file_handler final : public route_handler {
public:
  /// Looks at the root, so it may block.
  /// @param id of this handler, never used twice in a process
  /// @returns errc::invalid_config if the root is no directory
  static caf::expected<std::unique_ptr<route_handler>> make(const route_entry& entry, uint64_t id,
                                                            std::string_view server);

  std::unique_ptr<exchange_task> start(exchange& open) const override;

private:
  class task;

  file_handler(const route_entry& entry, uint64_t id, std::string_view server);

  std::string key(std::string_view below) const { return prefix_ + std::string{below}; }

  const route_entry& entry_;
  std::shared_ptr<const file_rules> rules_;
  file_answer_options options_;
  std::string prefix_; // of keys in the cache
  std::string server_;
};

} // namespace caf_app::http
