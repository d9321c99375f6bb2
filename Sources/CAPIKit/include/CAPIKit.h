// The system libraries APIKit stands on, and inline shims for what Swift cannot call (variadics,
// cast macros). Nothing else lives here. Each library is used from one room only:
// curl in Transport/Curl, OpenSSL in Signing/Crypto, SQLite in Cache, zlib in Request and Response.
#ifndef CAPIKIT_H
#define CAPIKIT_H

#include <zlib.h>
#include <sqlite3.h>

#if defined(__linux__)
#include "CAPIKitCrypto.h"
#include "CAPIKitCurl.h"
#endif

#endif
