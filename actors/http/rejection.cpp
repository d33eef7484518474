#include "actors/http/rejection.hpp"

#include <array>

namespace caf_app::http {

namespace {

using enum disposition;

// In the order of `fault`.
constexpr std::array<rejection, fault_count> table{{
    {200, keep, ""},                   // none
    {400, close, "request_line"},      // request_line
    {505, close, "version"},           // version
    {501, keep, "method"},             // method_unknown
    {405, keep, "method"},             // method_refused
    {405, close, "method"},            // method_connect
    {414, close, "target_size"},       // target_size
    {400, close, "target"},            // target
    {400, keep, "path"},               // path
    {400, close, "host"},              // host
    {421, keep, "misdirected"},        // misdirected
    {404, keep, ""},                   // not_found
    {400, close, "field"},             // field
    {431, close, "head_size"},         // head_size
    {400, close, "content_length"},    // content_length
    {400, close, "transfer_encoding"}, // transfer_encoding
    {501, close, "transfer_encoding"}, // transfer_coding
    {400, close, "chunk"},             // chunk
    {413, close, "body_size"},         // body_size
    {417, keep, "expect"},             // expect
    {417, close, "expect"},            // expect_with_body
    {0, cut, "idle"},                  // idle
    {408, close, "slow_request"},      // slow_request
    {0, cut, "slow_reader"},           // slow_reader
    {0, cut, "short_request"},         // short_request
    {0, cut, "per_ip"},                // per_ip
    {429, keep, "rate"},               // rate
    {503, keep, "shed"},               // shed
    {400, close, "tls_mismatch"},      // tls_mismatch
    {0, cut, "tls_handshake"},         // tls_handshake
    {0, keep, "h2_malformed"},         // h2_malformed
    {0, close, "h2_protocol"},         // h2_protocol
    {0, close, "h2_settings"},         // h2_settings
    {0, close, "h2_abuse"},            // h2_abuse
}};

} // namespace

const rejection& rejection_of(fault why) noexcept { return table[static_cast<size_t>(why)]; }

} // namespace caf_app::http
