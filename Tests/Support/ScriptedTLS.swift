#if os(Linux)
  import APIKit
  import CAPIKit
  import Foundation
  import Glibc
  import TestServers

  /// The TLS side of a ``ScriptedServer``: OpenSSL with certificates of a ``CertificateMatrix``. The nth connection is shown
  /// the nth certificate, later ones the last.
  ///
  /// Unchecked: the contexts are set up in `init` and then only used to make connections, which OpenSSL allows on
  /// any thread.
  final class ScriptedTLS: @unchecked Sendable {
    /// What clients trust, in PEM.
    let root: String
    private let certificates: CertificateMatrix
    private let contexts: [OpaquePointer]
    private let accepted = Counter()

    init(in folder: URL, _ servers: CertificateMatrix.Server...) throws {
      let certificates = try CertificateMatrix(in: folder)
      self.certificates = certificates
      root = certificates.root.path
      contexts = try (servers.isEmpty ? [.good] : servers).map { server in
        guard let context = SSL_CTX_new(TLS_server_method()),
          SSL_CTX_use_certificate_file(context, certificates.certificate(server).path, SSL_FILETYPE_PEM) == 1,
          SSL_CTX_use_PrivateKey_file(context, certificates.key(server).path, SSL_FILETYPE_PEM) == 1
        else { throw TestServerError("OpenSSL took no certificate") }
        return context
      }
      // OpenSSL writes without MSG_NOSIGNAL.
      signal(SIGPIPE, SIG_IGN)
    }

    deinit { for context in contexts { SSL_CTX_free(context) } }

    /// The pin of a certificate's key.
    func pin(_ server: CertificateMatrix.Server) throws -> PinSet.Pin {
      try PinSet.Pin(try certificates.publicKeyPin(server))
    }

    /// The server's side of the handshake; nil when it failed.
    func accept(_ socket: Int32) -> Session? {
      var patience = timeval(tv_sec: 20, tv_usec: 0)
      setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
      guard let ssl = SSL_new(contexts[min(accepted.next(), contexts.count - 1)]) else { return nil }
      let session = Session(ssl: ssl)
      return SSL_set_fd(ssl, socket) == 1 && SSL_accept(ssl) == 1 ? session : nil
    }

    /// One connection, used by its own thread alone.
    final class Session {
      private let ssl: OpaquePointer

      init(ssl: OpaquePointer) { self.ssl = ssl }

      deinit { SSL_free(ssl) }

      /// As `send`.
      func write(_ bytes: UnsafeRawBufferPointer) -> Int {
        Int(SSL_write(ssl, bytes.baseAddress, Int32(bytes.count)))
      }

      /// As `recv`.
      func read(_ bytes: UnsafeMutableRawBufferPointer) -> Int {
        Int(SSL_read(ssl, bytes.baseAddress, Int32(bytes.count)))
      }

      /// Sends a session ticket (RFC 8446, 4.6.1).
      func sendTicket() -> Bool { SSL_new_session_ticket(ssl) == 1 && SSL_do_handshake(ssl) == 1 }

      /// Tells the client that nothing more comes.
      func close() { SSL_shutdown(ssl) }
    }
  }
#else
  /// TLS of scripted servers is for the libcurl transport's tests.
  final class ScriptedTLS: Sendable {
    func accept(_ socket: Int32) -> Session? { nil }

    final class Session {
      func write(_ bytes: UnsafeRawBufferPointer) -> Int { -1 }
      func read(_ bytes: UnsafeMutableRawBufferPointer) -> Int { -1 }
      func sendTicket() -> Bool { false }
      func close() {}
    }
  }
#endif
