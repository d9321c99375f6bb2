// OpenSSL's libcrypto: digests, HMAC, AES-GCM and signatures.
#ifndef CAPIKIT_CRYPTO_H
#define CAPIKIT_CRYPTO_H
#if defined(__linux__)

#include <openssl/bn.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>

#endif
#endif
