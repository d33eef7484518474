#include "caf_app/loop/tls_hmac.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "caf_app/base/assert.hpp"

namespace caf_app {

namespace {

const unsigned char* data_of(std::string_view bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

} // namespace

sha256_digest sha256(std::string_view bytes) {
  sha256_digest digest{};
  unsigned int size = 0;
  const auto done =
      EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr);
  CAF_APP_ASSERT(done == 1 && size == digest.size());
  return digest;
}

sha256_digest hmac_sha256(std::string_view key, std::string_view bytes) {
  sha256_digest digest{};
  unsigned int size = 0;
  const auto* done = HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), data_of(bytes),
                          bytes.size(), digest.data(), &size);
  CAF_APP_ASSERT(done != nullptr && size == digest.size());
  return digest;
}

bool equal_in_constant_time(const sha256_digest& a, const sha256_digest& b) noexcept {
  return CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

} // namespace caf_app
