// An HTTP/2 client that says hello and then sends any bytes: whatever they are, slices change
// neither which requests arrive nor how the connection ends, nothing is said after the end, and
// nothing is left waiting.
#include "support/h2_client.hpp"

#include <iostream>

#include "caf_app/base/assert.hpp"

#include "fuzz/support/slices.hpp"

using namespace caf_app::http;

namespace {

struct outcome {
  std::string requests;
  std::string output; ///< frames that were sent, in order, but for windows
  std::string end;

  bool operator==(const outcome&) const = default;

  friend std::ostream& operator<<(std::ostream& out, const outcome& x) {
    return out << x.requests << x.output << '\n' << x.end << '\n';
  }
};

h2_options roomy() {
  h2_options options;
  options.streams = 10'000; // places depend on when answers are given, hence on slices
  options.section = {1024, 16, 200};
  return options;
}

outcome play(h2_owner owner, const std::vector<std::string_view>& slices) {
  h2_client client{owner, roomy(), h2::hello()};
  for (const auto slice : slices) {
    const auto before = client.log.size();
    const auto closed = client.session.closing();
    client.send(slice);
    CAF_APP_ASSERT(!closed || client.log.size() == before);
    CAF_APP_ASSERT(client.session.pending_output(client.now).empty());
  }
  outcome result;
  for (size_t at = 0; (at = client.log.find("request ", at)) != std::string::npos; ++at)
    result.requests += client.log.substr(at, client.log.find(';', at) - at) + '\n';
  result.output = client.summary();
  if (client.session.closing())
    result.end = "closing, " + std::to_string(static_cast<int>(client.session.why()));
  if (const auto code = client.session.goaway_code())
    result.end += ", code " + std::to_string(static_cast<uint32_t>(*code));
  client.advance(std::chrono::minutes{1}); // whatever was left open is given up in time
  return result;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input{reinterpret_cast<const char*>(data), size};
  // When an answer closes its stream depends on slices, and with it what a late frame is called.
  play(h2_owner::answers, {input});
  play(h2_owner::early, fuzz::slices_of(input, 2));
  const auto whole = play(h2_owner::silent, {input});
  for (uint64_t salt : {0, 1}) {
    const auto sliced = play(h2_owner::silent, fuzz::slices_of(input, salt));
    if (whole != sliced) {
      std::cerr << "whole:\n" << whole << "sliced:\n" << sliced;
      std::abort();
    }
  }
  return 0;
}
