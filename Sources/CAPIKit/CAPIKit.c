// The target is headers; besides, what must be done before the first use of a library.

#if defined(__linux__) && __has_include(<openssl/crypto.h>)
#include <openssl/crypto.h>

// At exit OpenSSL would free the locks that threads still use, which then crash. What comes first decides.
__attribute__((constructor)) static void apikit_keep_openssl_at_exit(void) {
  OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL);
}
#endif
