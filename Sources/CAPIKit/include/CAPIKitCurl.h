// libcurl: its set-option and get-info calls are variadic, so each value type has a shim.
// OpenSSL's libssl is here for what libcurl shows of a connection (CURLINFO_TLS_SSL_PTR).
#ifndef CAPIKIT_CURL_H
#define CAPIKIT_CURL_H
#if defined(__linux__)

#include <curl/curl.h>
#include <errno.h>
#include <netinet/in.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#if LIBCURL_VERSION_NUM < 0x075700
#error "APIKit needs libcurl 7.87.0 or later: it uses CURLOPT_QUICK_EXIT (7.87.0) and CURLOPT_PROTOCOLS_STR (7.85.0)."
#endif

/// Names the calling thread, for debuggers and `top`.
static inline void capikit_name_thread(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

/// The version of the libcurl in use, as 0xXXYYZZ.
static inline unsigned int capikit_curl_version(void) { return curl_version_info(CURLVERSION_NOW)->version_num; }

/// Whether this libcurl was built with a feature, one of CURL_VERSION_…
static inline int capikit_curl_has(int feature) {
  return (curl_version_info(CURLVERSION_NOW)->features & feature) != 0;
}

// MARK: curl_easy_setopt

static inline CURLcode capikit_curl_set_long(CURL *easy, CURLoption option, long value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode capikit_curl_set_size(CURL *easy, CURLoption option, curl_off_t value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode capikit_curl_set_string(CURL *easy, CURLoption option, const char *value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode capikit_curl_set_pointer(CURL *easy, CURLoption option, void *value) {
  return curl_easy_setopt(easy, option, value);
}

/// For the options that take a blob: libcurl copies the bytes.
static inline CURLcode capikit_curl_set_blob(CURL *easy, CURLoption option, const void *bytes, size_t count) {
  struct curl_blob blob = {(void *)bytes, count, CURL_BLOB_COPY};
  return curl_easy_setopt(easy, option, &blob);
}

/// For WRITEFUNCTION, HEADERFUNCTION and READFUNCTION, which have one shape.
static inline CURLcode capikit_curl_set_transfer(
    CURL *easy, CURLoption option, size_t (*function)(char *, size_t, size_t, void *)) {
  return curl_easy_setopt(easy, option, function);
}

static inline CURLcode capikit_curl_set_seek(CURL *easy, curl_seek_callback function) {
  return curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, function);
}

static inline CURLcode capikit_curl_set_progress(CURL *easy, curl_xferinfo_callback function) {
  return curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, function);
}

static inline CURLcode capikit_curl_set_prereq(CURL *easy, curl_prereq_callback function) {
  return curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, function);
}

static inline CURLcode capikit_curl_set_open_socket(CURL *easy, curl_opensocket_callback function) {
  return curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, function);
}

// Values of options that are enumerations or `int` in libcurl 7.88 and `long` in 8.14: here they have the one type that
// curl_easy_setopt takes.
static const long capikit_curl_use_ssl_all = CURLUSESSL_ALL;
static const long capikit_curl_if_modified_since = CURL_TIMECOND_IFMODSINCE;
static const long capikit_curl_tls_1_0 = CURL_SSLVERSION_TLSv1_0;
static const long capikit_curl_tls_1_1 = CURL_SSLVERSION_TLSv1_1;
static const long capikit_curl_tls_1_2 = CURL_SSLVERSION_TLSv1_2;
static const long capikit_curl_tls_1_3 = CURL_SSLVERSION_TLSv1_3;
static const long capikit_curl_newest_tls = CURL_SSLVERSION_MAX_DEFAULT;
static const long capikit_curl_newest_tls_1_2 = CURL_SSLVERSION_MAX_TLSv1_2;

/// Has a transfer use a socket that is connected already.
static inline CURLcode capikit_curl_set_connected_socket(
    CURL *easy, curl_opensocket_callback open, curl_sockopt_callback connected, void *me) {
  CURLcode code = curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open);
  if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, me);
  if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, connected);
  return code;
}

static inline CURLcode capikit_curl_set_close_socket(CURL *easy, curl_closesocket_callback function) {
  return curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, function);
}

static inline CURLcode capikit_curl_set_ssl_context(CURL *easy, curl_ssl_ctx_callback function) {
  return curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, function);
}

// MARK: curl_easy_getinfo

static inline CURLcode capikit_curl_get_long(CURL *easy, CURLINFO info, long *value) {
  return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode capikit_curl_get_size(CURL *easy, CURLINFO info, curl_off_t *value) {
  return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode capikit_curl_get_string(CURL *easy, CURLINFO info, const char **value) {
  return curl_easy_getinfo(easy, info, (char **)value);
}

static inline void *capikit_curl_get_private(CURL *easy) {
  char *value = NULL;
  curl_easy_getinfo(easy, CURLINFO_PRIVATE, &value);
  return value;
}

/// The socket of a connection made with CURLOPT_CONNECT_ONLY; -1 when there is none.
static inline int capikit_curl_get_socket(CURL *easy) {
  curl_socket_t socket = CURL_SOCKET_BAD;
  return curl_easy_getinfo(easy, CURLINFO_ACTIVESOCKET, &socket) == CURLE_OK ? (int)socket : -1;
}

/// The OpenSSL connection of a running transfer; NULL without TLS or with another TLS library.
static inline SSL *capikit_curl_get_ssl(CURL *easy) {
  struct curl_tlssessioninfo *session = NULL;
  if (curl_easy_getinfo(easy, CURLINFO_TLS_SSL_PTR, &session) != CURLE_OK || !session) return NULL;
  return session->backend == CURLSSLBACKEND_OPENSSL ? (SSL *)session->internals : NULL;
}

// MARK: curl_multi_setopt, curl_share_setopt

static inline CURLMcode capikit_curl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
  return curl_multi_setopt(multi, option, value);
}

static inline CURLMcode capikit_curl_multi_set_pointer(CURLM *multi, CURLMoption option, void *value) {
  return curl_multi_setopt(multi, option, value);
}

static inline CURLMcode capikit_curl_multi_set_socket(CURLM *multi, curl_socket_callback function) {
  return curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, function);
}

static inline CURLMcode capikit_curl_multi_set_timer(CURLM *multi, curl_multi_timer_callback function) {
  return curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, function);
}

/// Lets every transfer go on. Deprecated for what it costs with many transfers, and the only way to wake one
/// that libcurl itself has put to sleep.
static inline void capikit_curl_multi_act_on_all(CURLM *multi, int *running) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  curl_multi_socket_all(multi, running);
#pragma GCC diagnostic pop
}

/// The finished transfer and its code; NULL when there is none. The code sits in a union.
static inline CURL *capikit_curl_multi_done(CURLM *multi, CURLcode *code) {
  int left = 0;
  CURLMsg *message;
  while ((message = curl_multi_info_read(multi, &left))) {
    if (message->msg != CURLMSG_DONE) continue;
    *code = message->data.result;
    return message->easy_handle;
  }
  return NULL;
}

static inline CURLSHcode capikit_curl_share_data(CURLSH *share, curl_lock_data data) {
  return curl_share_setopt(share, CURLSHOPT_SHARE, data);
}

// MARK: Sockets

/// The local TCP port of a socket; 0 when it has none, or none yet.
static inline unsigned short capikit_local_port(int socket) {
  struct sockaddr_storage address;
  socklen_t size = sizeof address;
  if (getsockname(socket, (struct sockaddr *)&address, &size) != 0) return 0;
  if (address.ss_family == AF_INET) return ntohs(((struct sockaddr_in *)&address)->sin_port);
  if (address.ss_family == AF_INET6) return ntohs(((struct sockaddr_in6 *)&address)->sin6_port);
  return 0;
}

/// The bytes that a TCP connection has received so far; 0 where the system does not say. `tcpi_bytes_received` of the
/// kernel's `struct tcp_info`, which that of the C library does not have.
static inline unsigned long long capikit_bytes_received(int socket) {
  unsigned char info[256];
  unsigned long long bytes = 0;
  socklen_t size = sizeof info;
  if (getsockopt(socket, IPPROTO_TCP, 11 /* TCP_INFO */, info, &size) != 0 || size < 136) return 0;
  __builtin_memcpy(&bytes, info + 128, sizeof bytes);
  return bytes;
}

/// Whether nothing waits on the socket: no bytes, no end of the connection, no error.
static inline int capikit_socket_is_quiet(int socket) {
  char byte;
  return recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

/// Whether what waits on an idle TLS connection is no data and no end of it. Session tickets, which servers may
/// send at any time (RFC 8446, 4.6.1), are read.
///
/// libcurl's own BIO works inside of libcurl's calls only, so OpenSSL reads from the socket itself here.
static inline int capikit_ssl_is_quiet(SSL *ssl, int socket) {
  BIO *direct = BIO_new_socket(socket, BIO_NOCLOSE);
  if (!direct) return 0;
  BIO *read = SSL_get_rbio(ssl), *write = SSL_get_wbio(ssl);
  // SSL_set0_… takes over one reference and frees the one before.
  BIO_up_ref(read);
  BIO_up_ref(write);
  BIO_up_ref(direct);
  SSL_set0_rbio(ssl, direct);
  SSL_set0_wbio(ssl, direct);
  ERR_clear_error();
  char byte;
  int count = SSL_peek(ssl, &byte, 1);
  int is_quiet = count <= 0 && SSL_get_error(ssl, count) == SSL_ERROR_WANT_READ;
  SSL_set0_rbio(ssl, read);
  SSL_set0_wbio(ssl, write);
  ERR_clear_error();
  // A part of a record may become data when the rest of it arrives.
  return is_quiet && !SSL_has_pending(ssl);
}

/// Lets a TLS connection read and write its socket itself. libcurl's own BIO works inside of libcurl's calls only, and
/// looks for the connection of a handle in a list at each of them. libcurl still closes the connection.
static inline int capikit_ssl_detach(SSL *ssl, int socket) {
  BIO *direct = BIO_new_socket(socket, BIO_NOCLOSE);
  if (!direct) return 0;
  SSL_set_bio(ssl, direct, direct);
  SSL_set_mode(ssl, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  // Callbacks of libcurl's and ours that expect a transfer.
  SSL_CTX_sess_set_new_cb(SSL_get_SSL_CTX(ssl), NULL);
  SSL_set_cert_cb(ssl, NULL, NULL);
  return 1;
}

/// Why the last read or write of a TLS connection did nothing.
enum capikit_ssl_outcome {
  CAPIKIT_SSL_WANTS_READ,
  CAPIKIT_SSL_WANTS_WRITE,
  CAPIKIT_SSL_CLOSED,
  /// The connection ended without a close_notify.
  CAPIKIT_SSL_TRUNCATED,
  CAPIKIT_SSL_FAILED,
};

static inline enum capikit_ssl_outcome capikit_ssl_outcome(SSL *ssl, int count) {
  switch (SSL_get_error(ssl, count)) {
    case SSL_ERROR_WANT_READ: return CAPIKIT_SSL_WANTS_READ;
    case SSL_ERROR_WANT_WRITE: return CAPIKIT_SSL_WANTS_WRITE;
    case SSL_ERROR_ZERO_RETURN: return CAPIKIT_SSL_CLOSED;
    case SSL_ERROR_SYSCALL: return errno == 0 ? CAPIKIT_SSL_TRUNCATED : CAPIKIT_SSL_FAILED;
#ifdef SSL_R_UNEXPECTED_EOF_WHILE_READING
    case SSL_ERROR_SSL:
      return ERR_GET_REASON(ERR_peek_error()) == SSL_R_UNEXPECTED_EOF_WHILE_READING ? CAPIKIT_SSL_TRUNCATED
                                                                                    : CAPIKIT_SSL_FAILED;
#endif
    default: return CAPIKIT_SSL_FAILED;
  }
}

// MARK: OpenSSL macros

/// A slot of our own on every connection.
static inline int capikit_ssl_new_index(void) { return SSL_get_ex_new_index(0, NULL, NULL, NULL, NULL); }

/// Whether both sides agreed on HTTP/2 (ALPN).
static inline int capikit_ssl_speaks_http2(const SSL *ssl) {
  const unsigned char *name = NULL;
  unsigned int length = 0;
  SSL_get0_alpn_selected(ssl, &name, &length);
  return length == 2 && name[0] == 'h' && name[1] == '2';
}

static inline int capikit_x509_count(const STACK_OF(X509) *chain) { return sk_X509_num(chain); }

static inline X509 *capikit_x509_at(const STACK_OF(X509) *chain, int index) {
  return sk_X509_value(chain, index);
}

/// Whether the certificate names a host, or an address, by subjectAltName.
static inline int capikit_x509_names_hosts(const X509 *certificate) {
  GENERAL_NAMES *names = (GENERAL_NAMES *)X509_get_ext_d2i(certificate, NID_subject_alt_name, NULL, NULL);
  int found = 0;
  for (int index = 0; !found && index < sk_GENERAL_NAME_num(names); index++) {
    int type = sk_GENERAL_NAME_value(names, index)->type;
    found = type == GEN_DNS || type == GEN_IPADD;
  }
  GENERAL_NAMES_free(names);
  return found;
}

static inline int capikit_x509_name_count(const STACK_OF(X509_NAME) *names) {
  return names ? sk_X509_NAME_num(names) : 0;
}

static inline X509_NAME *capikit_x509_name_at(const STACK_OF(X509_NAME) *names, int index) {
  return sk_X509_NAME_value(names, index);
}

/// A list of certificates, which owns what is pushed.
static inline STACK_OF(X509) *capikit_x509_stack_new(void) { return sk_X509_new_null(); }

static inline int capikit_x509_push(STACK_OF(X509) *chain, X509 *certificate) {
  return sk_X509_push(chain, certificate);
}

static inline void capikit_x509_stack_free(STACK_OF(X509) *chain) { sk_X509_pop_free(chain, X509_free); }

#endif
#endif
