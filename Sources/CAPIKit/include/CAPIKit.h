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
