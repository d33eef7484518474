// A server's TLS session that receives any bytes: slices do not change where it ends, it says
// nothing but records, and a session that has failed stays so.
#include "caf_app/loop/tls_session.hpp"

#include "caf_app/base/assert.hpp"
#include "support/certificates.hpp"

#include "fuzz/support/slices.hpp"

using namespace caf_app;

namespace {

std::shared_ptr<const tls_context> make_context() {
  certificates made;
  tls_options options;
  for (const std::string host : {"a.org", "*.b.org"}) {
    const auto files = made.issue(host[0] == '*' ? "b" : host, {host});
    options.sites.push_back({{host}, {{files.cert, files.key}}, {}, {}, {}, {}});
  }
  auto context = tls_context::load(options, tls_ticket_keys::random());
  CAF_APP_ASSERT(context);
  return *context;
}

void check_records(std::string_view output) {
  while (!output.empty()) {
    CAF_APP_ASSERT(output.size() >= 5);
    CAF_APP_ASSERT(output[0] >= 20 && output[0] <= 23); // an alert repeats the version it refuses
    const auto size =
        static_cast<size_t>(static_cast<uint8_t>(output[3])) << 8 | static_cast<uint8_t>(output[4]);
    CAF_APP_ASSERT(size <= 16'640 && output.size() >= 5 + size);
    output.remove_prefix(5 + size);
  }
}

tls_state play(const std::vector<std::string_view>& slices) {
  static const auto context = make_context();
  tls_session session{context};
  std::string plaintext;
  for (const auto slice : slices) {
    const auto before = session.state();
    const auto state = session.receive(slice, plaintext);
    CAF_APP_ASSERT(before != tls_state::failed || state == tls_state::failed);
    check_records(session.pending_output());
    session.sent(session.pending_output().size());
  }
  CAF_APP_ASSERT(plaintext.empty()); // nobody who does not answer us gets that far
  CAF_APP_ASSERT((session.state() == tls_state::failed) == !session.failure().empty());
  return session.state();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input{reinterpret_cast<const char*>(data), size};
  const auto whole = play({input});
  for (uint64_t salt : {0, 1})
    CAF_APP_ASSERT(play(fuzz::slices_of(input, salt)) == whole);
  return 0;
}
