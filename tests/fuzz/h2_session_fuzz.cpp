// An HTTP/2 client that says hello and then sends any bytes, in any slices: nothing is said after
// the end, nothing is left waiting. That slices do not change the outcome is for the scripts of
// frames (adr/0008-http2.md has the known exception).
#include "support/h2_client.hpp"

#include <string_view>
#include <vector>

#include "caf_app/base/assert.hpp"

#include "fuzz/support/slices.hpp"

using namespace caf_app::http;

namespace {

h2_options roomy() {
  h2_options options;
  options.streams = 10'000; // places depend on when answers are given, hence on slices
  options.section = {1024, 16, 200};
  return options;
}

void play(h2_owner owner, const std::vector<std::string_view>& slices) {
  h2_client client{owner, roomy(), h2::hello()};
  for (const auto slice : slices) {
    const auto before = client.log.size();
    const auto closed = client.session.closing();
    client.send(slice);
    CAF_APP_ASSERT(!closed || client.log.size() == before);
    CAF_APP_ASSERT(client.session.pending_output(client.now).empty());
  }
  client.advance(std::chrono::minutes{1}); // whatever was left open is given up in time
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input{reinterpret_cast<const char*>(data), size};
  play(h2_owner::answers, {input});
  play(h2_owner::early, fuzz::slices_of(input, 2));
  for (uint64_t salt : {0, 1})
    play(h2_owner::silent, fuzz::slices_of(input, salt));
  return 0;
}
