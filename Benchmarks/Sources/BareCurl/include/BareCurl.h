// The yardstick: libcurl's multi interface called from C, and nothing else.
#ifndef BARE_CURL_H
#define BARE_CURL_H

#include <stddef.h>

/// Fetches `url` `total` times over one thread, `width` at a time; gives the bytes received, or -1.
long bare_curl_get(const char *url, long total, int width);

#endif
