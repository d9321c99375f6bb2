// libcurl: its set-option and get-info calls are variadic, so each value type has a shim.
#ifndef CAPIKIT_CURL_H
#define CAPIKIT_CURL_H

#include <curl/curl.h>

#endif
