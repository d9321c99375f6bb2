// The yardstick: libcurl's multi interface called from C, and nothing else.
#ifndef BARE_CURL_H
#define BARE_CURL_H

#include <stddef.h>

/// Fetches `url` `total` times over one thread, `width` at a time; gives the bytes received, or -1.
long bare_curl_get(const char *url, long total, int width);

/// What is taken from the heap now, in all arenas of malloc, in bytes. (Here because Swift's Glibc has no malloc.h.)
size_t bare_heap_in_use(void);

#endif
