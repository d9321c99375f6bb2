// For pthread_getattr_np.
#define _GNU_SOURCE
// The target is headers; besides, what must be done before the first use of a library.

#if defined(__linux__) && __has_include(<openssl/crypto.h>)
#include <openssl/crypto.h>

// At exit OpenSSL would free the locks that threads still use, which then crash. What comes first decides.
__attribute__((constructor)) static void apikit_keep_openssl_at_exit(void) {
  OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL);
}
#endif

#include "include/CAPIKit.h"
#include <pthread.h>

size_t capikit_stack_left(void) {
  char *here = (char *)__builtin_frame_address(0);
#ifdef __APPLE__
  char *lowest = (char *)pthread_get_stackaddr_np(pthread_self()) - pthread_get_stacksize_np(pthread_self());
#else
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return 0;
  void *lowest = NULL;
  size_t size = 0;
  int code = pthread_attr_getstack(&attributes, &lowest, &size);
  pthread_attr_destroy(&attributes);
  if (code != 0) return 0;
#endif
  return here > (char *)lowest ? (size_t)(here - (char *)lowest) : 0;
}

_Thread_local unsigned capikit_thread_next_member;
