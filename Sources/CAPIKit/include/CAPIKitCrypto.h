// OpenSSL's libcrypto: digests, HMAC and AES-GCM.
#ifndef CAPIKIT_CRYPTO_H
#define CAPIKIT_CRYPTO_H

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#endif
