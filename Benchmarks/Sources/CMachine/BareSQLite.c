#include "CMachine.h"

#include <sqlite3.h>
#include <stdio.h>
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

int machine_sqlite_exchanges(const char *path, int count) {
  sqlite3 *database = NULL;
  sqlite3_stmt *insert = NULL;
  int result = -1;
  if (sqlite3_open(path, &database) != SQLITE_OK) goto end;
  if (sqlite3_exec(database,
                   "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
                   "CREATE TABLE exchanges (id INTEGER PRIMARY KEY, launch TEXT NOT NULL, number INTEGER NOT NULL,"
                   " begun REAL NOT NULL, took REAL NOT NULL, flight INTEGER NOT NULL, service TEXT NOT NULL,"
                   " api TEXT NOT NULL, method TEXT NOT NULL, host TEXT NOT NULL, path TEXT NOT NULL,"
                   " status INTEGER NOT NULL, failure TEXT NOT NULL, sent INTEGER NOT NULL, received INTEGER NOT NULL,"
                   " size INTEGER NOT NULL); BEGIN",
                   NULL, NULL, NULL) != SQLITE_OK)
    goto end;
  if (sqlite3_prepare_v2(database,
                         "INSERT INTO exchanges (launch, number, begun, took, flight, service, api, method, host, path,"
                         " status, failure, sent, received, size) VALUES ('0123456789abcdef0123456789abcdef', ?1,"
                         " 1767225600.5, 0.01, 0, '', '', 'GET', ?2, ?3, ?4, '', 0, 2, 1000)",
                         -1, &insert, NULL) != SQLITE_OK)
    goto end;
  for (int number = 0; number < count; number++) {
    char host[32], path_text[64];
    snprintf(host, sizeof host, "h%d.homes.test", number % 10);
    snprintf(path_text, sizeof path_text, "/api/homes/%d", number);
    sqlite3_bind_int(insert, 1, number);
    sqlite3_bind_text(insert, 2, host, -1, SQLITE_TRANSIENT);
    sqlite3_bind_text(insert, 3, path_text, -1, SQLITE_TRANSIENT);
    sqlite3_bind_int(insert, 4, number % 97 == 0 ? 503 : 200);
    if (sqlite3_step(insert) != SQLITE_DONE) goto end;
    sqlite3_reset(insert);
  }
  if (sqlite3_exec(database, "COMMIT", NULL, NULL, NULL) == SQLITE_OK) result = 0;
end:
  sqlite3_finalize(insert);
  sqlite3_close(database);
  return result;
}

int machine_sqlite_search(const char *path, const char *host, int low, int high, int limit, double *seconds) {
  sqlite3 *database = NULL;
  sqlite3_stmt *find = NULL;
  int rows = -1;
  long long bytes = 0;
  if (sqlite3_open(path, &database) != SQLITE_OK) goto end;
  if (sqlite3_exec(database, "PRAGMA cache_size = -8192", NULL, NULL, NULL) != SQLITE_OK) goto end;
  if (sqlite3_prepare_v2(database,
                         "SELECT * FROM exchanges WHERE begun >= 0 AND host = ?1 AND status BETWEEN ?2 AND ?3"
                         " ORDER BY id DESC LIMIT ?4",
                         -1, &find, NULL) != SQLITE_OK)
    goto end;
  // The second run finds its pages in memory, as that of a store that is open does.
  for (int run = 0; run < 2; run++) {
    double start = now();
    sqlite3_bind_text(find, 1, host, -1, SQLITE_TRANSIENT);
    sqlite3_bind_int(find, 2, low);
    sqlite3_bind_int(find, 3, high);
    sqlite3_bind_int(find, 4, limit);
    rows = 0;
    while (sqlite3_step(find) == SQLITE_ROW) {
      for (int column = 0; column < sqlite3_column_count(find); column++) {
        if (sqlite3_column_text(find, column) != NULL) bytes += sqlite3_column_bytes(find, column);
      }
      rows++;
    }
    sqlite3_reset(find);
    if (seconds != NULL) *seconds = now() - start;
  }
  if (bytes == 0 && rows > 0) rows = -1;
end:
  sqlite3_finalize(find);
  sqlite3_close(database);
  return rows;
}
