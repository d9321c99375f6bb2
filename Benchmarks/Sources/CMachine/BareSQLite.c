#include "CMachine.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

double machine_sqlite_insert(const char *path, int bytes, int count, int each) {
  sqlite3 *database = NULL;
  sqlite3_stmt *insert = NULL, *begin = NULL, *commit = NULL;
  char *payload = malloc((size_t)bytes);
  double seconds = -1;
  memset(payload, 'x', (size_t)bytes);
  if (sqlite3_open(path, &database) != SQLITE_OK) goto end;
  if (sqlite3_exec(database,
                   "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
                   "CREATE TABLE IF NOT EXISTS items (id INTEGER PRIMARY KEY, lane TEXT, state INTEGER NOT NULL,"
                   " head INTEGER NOT NULL, needs INTEGER NOT NULL, due REAL NOT NULL, owner TEXT,"
                   " attempts INTEGER NOT NULL, deaths INTEGER NOT NULL, size INTEGER NOT NULL, expiry REAL,"
                   " type TEXT NOT NULL, recipient TEXT NOT NULL, user TEXT NOT NULL, spool TEXT, reason TEXT,"
                   " blame INTEGER, payload BLOB NOT NULL)",
                   NULL, NULL, NULL) != SQLITE_OK)
    goto end;
  if (sqlite3_prepare_v2(database,
                         "INSERT INTO items (lane, state, head, needs, due, attempts, deaths, size, type, recipient,"
                         " user, payload) VALUES ('lane', 0, 1, 0, 0, 0, 0, ?1, 'type', 'recipient', '', ?2)",
                         -1, &insert, NULL) != SQLITE_OK ||
      sqlite3_prepare_v2(database, "BEGIN IMMEDIATE", -1, &begin, NULL) != SQLITE_OK ||
      sqlite3_prepare_v2(database, "COMMIT", -1, &commit, NULL) != SQLITE_OK)
    goto end;
  double start = now();
  for (int done = 0; done < count;) {
    int good = sqlite3_step(begin) == SQLITE_DONE;
    sqlite3_reset(begin);
    for (int index = 0; index < each && done < count; index++, done++) {
      sqlite3_bind_int(insert, 1, bytes);
      sqlite3_bind_blob(insert, 2, payload, bytes, SQLITE_STATIC);
      good = good && sqlite3_step(insert) == SQLITE_DONE;
      sqlite3_reset(insert);
    }
    good = good && sqlite3_step(commit) == SQLITE_DONE;
    sqlite3_reset(commit);
    if (!good) goto end;
  }
  seconds = now() - start;
end:
  sqlite3_finalize(insert);
  sqlite3_finalize(begin);
  sqlite3_finalize(commit);
  sqlite3_close(database);
  free(payload);
  return seconds;
}
