// What the measurements need of the system and Swift's Glibc does not offer.
#ifndef CMACHINE_H
#define CMACHINE_H

#include <stddef.h>
#include <sys/types.h>

/// What is taken from the heap now, in all arenas of malloc, in bytes.
size_t machine_heap_in_use(void);

/// Gives back what was freed and kept, so that what is taken from now on is seen to be.
void machine_trim_heap(void);

/// The lowest core this thread may run on, above `core`; -1 when there is none.
int machine_core_above(int core);

/// Whether this thread may run on one core alone.
int machine_is_pinned(void);

/// Lets a thread run on one core alone: a process of one thread by its id, the calling thread by 0. Gives 0, or -1.
int machine_pin(pid_t process, int core);

/// The same work on every machine: `count` times 32 small allocations, and the SHA-256 of 1 KiB in plain C, which
/// no instruction made for it speeds up. Gives a number that depends on all of it.
unsigned machine_yardstick(int count);

// What a client can do that is C and nothing else, against a server on loopback; each gives seconds, or -1.

/// Has a WebSocket's server send `count` messages of `size` bytes back, so many of them under way.
double machine_socket_echo(int port, int opcode, long size, int in_flight, int count);

/// Has the server of machine_serve_streams send `size` bytes back, `count` times.
double machine_stream_echo(int port, long size, int count);

/// Has it send so many bytes.
double machine_stream_read(int port, long bytes);

/// Serves these two on a port of its own, which it prints; does not return while it can.
void machine_serve_streams(void);

/// What a process has cost: seconds by the clock on the wall, seconds of CPU, and the most memory that it held, in MiB: its own,
/// and with the pages of the program and its libraries, which processes share; 0 where that was not watched.
struct machine_cost {
  double wall;
  double cpu;
  double own;
  double peak;
};

/// Runs a program to its end, without its output; the arguments begin with its path and end with NULL. Watching its memory
/// takes some of the machine's time. Gives its status, or -1.
int machine_run(char *const arguments[], int watches_memory, struct machine_cost *cost);

/// Keeps `count` rows of so many bytes in a database with WAL and FULL, `each` of them by one commit: an outbox's table without
/// its further indexes. Gives seconds, or -1.
double machine_sqlite_insert(const char *path, int bytes, int count, int each);

/// Makes a table of so many exchanges, as a store of exchanges has it without its contents and indexes. Gives 0, or -1.
int machine_sqlite_exchanges(const char *path, int count);

/// Searches that table for the newest rows of a host with a status, and reads all of their columns. Gives their number and,
/// where `seconds` is given, how long that took once the pages were in memory; -1 when it fails.
int machine_sqlite_search(const char *path, const char *host, int low, int high, int limit, double *seconds);

/// Has libxml2 read a document into its tree, and frees it. Gives 0, or -1 where there is no libxml2.
int machine_libxml2_tree(const unsigned char *bytes, int count);

/// Has libxml2 read a document and keep nothing. Gives 0, or another number.
int machine_libxml2_events(const unsigned char *bytes, int count);

#endif
