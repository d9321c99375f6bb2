// The system libraries APIKit stands on, and inline shims for what Swift cannot call (variadics,
// cast macros), and what must come before their first use. Each library is used from one room only:
// curl in Transport/Curl, OpenSSL in Base/Crypto, SQLite in Base/SQLite, zlib in Base/Text.
#ifndef CAPIKIT_H
#define CAPIKIT_H

#include <sqlite3.h>
#include <stddef.h>
#include <zlib.h>

// The bytes of the calling thread's stack that are not in use; 0 where the system does not say.
size_t capikit_stack_left(void);

// The place in an object after the member that the calling thread has found last, from 0.
extern _Thread_local unsigned capikit_thread_next_member;
static inline unsigned capikit_next_member(void) { return capikit_thread_next_member; }
static inline void capikit_set_next_member(unsigned place) { capikit_thread_next_member = place; }

// Has SQLite make a damaged database empty in place, safely for other connections: sqlite3_db_config is
// variadic. Turned on, followed by VACUUM, and turned off again.
static inline int apikit_sqlite3_reset(sqlite3 *db, int on) {
  return sqlite3_db_config(db, SQLITE_DBCONFIG_RESET_DATABASE, on, (int *)0);
}

// SQLITE_TRANSIENT is a cast, which Swift does not import.
static inline int apikit_sqlite3_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int count) {
  return sqlite3_bind_blob(statement, index, bytes, count, SQLITE_TRANSIENT);
}

static inline int apikit_sqlite3_bind_text(sqlite3_stmt *statement, int index, const char *text, int count) {
  return sqlite3_bind_text(statement, index, text, count, SQLITE_TRANSIENT);
}

// Words that threads read and change without a lock, for systems whose Swift library has none. A read sees what was written
// before the store that it reads; exchanges have one order.
static inline long apikit_atomic_load(const long *word) { return __atomic_load_n(word, __ATOMIC_ACQUIRE); }

static inline void apikit_atomic_store(long *word, long value) { __atomic_store_n(word, value, __ATOMIC_RELEASE); }

static inline long apikit_atomic_exchange(long *word, long value) {
  return __atomic_exchange_n(word, value, __ATOMIC_SEQ_CST);
}

// Returns the sum, which wraps.
static inline long apikit_atomic_add(long *word, long number) {
  return __atomic_add_fetch(word, number, __ATOMIC_ACQ_REL);
}

#if defined(__linux__)
#include <linux/falloc.h>
#include <sys/socket.h>
#include <sys/types.h>

// glibc has them as an enum and a macro; which of the two Swift sees depends on the modules that other files import.
enum {
  CAPIKIT_SOCK_STREAM = SOCK_STREAM,
  CAPIKIT_SOCK_RAW = SOCK_RAW,
  CAPIKIT_SOCK_CLOEXEC = SOCK_CLOEXEC,
  CAPIKIT_MSG_NOSIGNAL = MSG_NOSIGNAL
};

// glibc declares it for GNU sources only, which Swift's module of it is not.
int fallocate(int file, int mode, off_t offset, off_t count);

// Takes room for bytes of a file without making it longer.
static inline int apikit_reserve(int file, off_t offset, off_t count) {
  return fallocate(file, FALLOC_FL_KEEP_SIZE, offset, count);
}
#endif

// Empty where the system's own parts take the place of OpenSSL and libcurl.
#include "CAPIKitCrypto.h"
#include "CAPIKitCurl.h"

#endif
