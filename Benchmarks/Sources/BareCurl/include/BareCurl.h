// The yardstick: libcurl's multi interface called from C, and nothing else.
#ifndef BARE_CURL_H
#define BARE_CURL_H

/// Fetches `url` `total` times over one thread, `width` at a time; gives the bytes received, or -1.
long bare_curl_get(const char *url, long total, int width);

/// The same over TLS, with the authorities in the file at `authorities`. With HTTP/2 all go over one connection.
long bare_curl_get_tls(const char *url, const char *authorities, long total, int width);

/// A connection for one fetch after another; to be used by one thread at a time.
struct bare_curl;
struct bare_curl *bare_curl_open(const char *url);
/// Fetches once; gives the bytes received, or -1.
long bare_curl_fetch(struct bare_curl *curl);
void bare_curl_close(struct bare_curl *curl);

/// Whether one easy handle makes many transfers. Not where the libcurl at run time is 7.83.0 to 8.0.1, which uses
/// memory after it was freed when a handle is used again: each transfer has a handle of its own there.
int bare_curl_reuses_handles(void);

/// The version of the libcurl at run time, e.g. `7.88.1`.
const char *bare_curl_version(void);

#endif
