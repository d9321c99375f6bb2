// Tells ThreadSanitizer of Swift's Mutex on Linux, for `Scripts/sanitize thread`.
//
// The compiler inlines the two ends of a Mutex that nobody else wants; those are atomics, which the sanitizer sees.
// Under contention the lock is taken and given up inside libswiftSynchronization, which is not instrumented, so what
// the lock orders would be reported as a race. This library is preloaded: its functions have the names of those
// three, call them, and tell the sanitizer that the word of the lock was acquired or released.
//
// The names are part of the stable ABI of the module Synchronization (struct _MutexHandle). The calling convention
// is Swift's: the value comes in the first register, the lock itself in that of `self`.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

// Missing in programs without the sanitizer, such as `swift test` itself, which is preloaded into as well.
extern void __tsan_acquire(void *) __attribute__((weak));
extern void __tsan_release(void *) __attribute__((weak));

// The function that this one stands before.
static void *next(const char *name) {
  void *function = dlsym(RTLD_NEXT, name);
  if (function) return function;
  fprintf(stderr, "sanitize: this Swift has no %s; Tests/Sanitizers/SwiftMutex.c must follow it\n", name);
  abort();
}

SWIFT void mutex_lock(uint32_t thread, SELF void *lock) __asm__(LOCK);
SWIFT void mutex_lock(uint32_t thread, SELF void *lock) {
  typedef SWIFT void (*Function)(uint32_t, SELF void *);
  static Function function;
  if (!function) function = (Function)next(LOCK);
  function(thread, lock);
  if (__tsan_acquire) __tsan_acquire(lock);
}

SWIFT _Bool mutex_try_lock(SELF void *lock) __asm__(TRY_LOCK);
SWIFT _Bool mutex_try_lock(SELF void *lock) {
  typedef SWIFT _Bool (*Function)(SELF void *);
  static Function function;
  if (!function) function = (Function)next(TRY_LOCK);
  _Bool is_locked = function(lock);
  if (is_locked && __tsan_acquire) __tsan_acquire(lock);
  return is_locked;
}

SWIFT void mutex_unlock(SELF void *lock) __asm__(UNLOCK);
SWIFT void mutex_unlock(SELF void *lock) {
  typedef SWIFT void (*Function)(SELF void *);
  static Function function;
  if (!function) function = (Function)next(UNLOCK);
  if (__tsan_release) __tsan_release(lock);
  function(lock);
}
