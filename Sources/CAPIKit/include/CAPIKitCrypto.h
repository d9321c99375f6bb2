// OpenSSL's libcrypto: digests, HMAC and AES-GCM.
#ifndef CAPIKIT_CRYPTO_H
#define CAPIKIT_CRYPTO_H
#if defined(__linux__)

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#endif
#endif
