#if os(Linux)
  import CAPIKit
  import Glibc

  /// libcurl's callbacks: each finds its handle or loop by the pointer it was given and calls it.
  ///
  /// They run on the loop's thread. All are `@Sendable`: a closure written where an actor is isolated would
  /// inherit that isolation and trap when libcurl calls it.
  enum CurlCallbacks {
    static func install(on handle: CurlHandle) throws(APIError) {
      let easy = handle.easy
      try handle.check(CURLOPT_WRITEFUNCTION, capikit_curl_set_transfer(easy, CURLOPT_WRITEFUNCTION, write))
      try handle.set(CURLOPT_WRITEDATA, pointer: handle.me)
      try handle.check(
        CURLOPT_HEADERFUNCTION, capikit_curl_set_transfer(easy, CURLOPT_HEADERFUNCTION, header))
      try handle.set(CURLOPT_HEADERDATA, pointer: handle.me)
      try handle.check(CURLOPT_READFUNCTION, capikit_curl_set_transfer(easy, CURLOPT_READFUNCTION, read))
      try handle.set(CURLOPT_READDATA, pointer: handle.me)
      try handle.check(CURLOPT_SEEKFUNCTION, capikit_curl_set_seek(easy, seek))
      try handle.set(CURLOPT_SEEKDATA, pointer: handle.me)
      try handle.check(CURLOPT_XFERINFOFUNCTION, capikit_curl_set_progress(easy, progress))
      try handle.set(CURLOPT_XFERINFODATA, pointer: handle.me)
      try handle.check(CURLOPT_PREREQFUNCTION, capikit_curl_set_prereq(easy, connected))
      try handle.set(CURLOPT_PREREQDATA, pointer: handle.me)
      try handle.check(CURLOPT_SSL_CTX_FUNCTION, capikit_curl_set_ssl_context(easy, secured))
      try handle.set(CURLOPT_SSL_CTX_DATA, pointer: handle.me)
      let poll = Unmanaged.passUnretained(handle.loop.poll).toOpaque()
      try handle.check(CURLOPT_OPENSOCKETFUNCTION, capikit_curl_set_open_socket(easy, openSocket))
      try handle.set(CURLOPT_OPENSOCKETDATA, pointer: handle.me)
      try handle.check(CURLOPT_CLOSESOCKETFUNCTION, capikit_curl_set_close_socket(easy, closeSocket))
      try handle.set(CURLOPT_CLOSESOCKETDATA, pointer: poll)
    }

    static func install(on loop: CurlEventLoop) {
      _ = capikit_curl_multi_set_socket(loop.multi, want)
      _ = capikit_curl_multi_set_pointer(
        loop.multi, CURLMOPT_SOCKETDATA, Unmanaged.passUnretained(loop.poll).toOpaque())
      _ = capikit_curl_multi_set_timer(loop.multi, timer)
      _ = capikit_curl_multi_set_pointer(
        loop.multi, CURLMOPT_TIMERDATA, Unmanaged.passUnretained(loop).toOpaque())
    }

    static func install(on wire: CurlWire, _ loop: CurlWireLoop) throws(APIError) {
      let (easy, me) = (wire.easy, Unmanaged.passUnretained(wire).toOpaque())
      try wire.check(CURLOPT_PREREQFUNCTION, capikit_curl_set_prereq(easy, wireConnected))
      try wire.set(CURLOPT_PREREQDATA, pointer: me)
      try wire.check(CURLOPT_SSL_CTX_FUNCTION, capikit_curl_set_ssl_context(easy, wireSecured))
      try wire.set(CURLOPT_SSL_CTX_DATA, pointer: me)
      try wire.check(CURLOPT_OPENSOCKETFUNCTION, capikit_curl_set_open_socket(easy, openWireSocket))
      try wire.set(CURLOPT_OPENSOCKETDATA, pointer: Unmanaged.passUnretained(loop.poll).toOpaque())
      try wire.check(CURLOPT_CLOSESOCKETFUNCTION, capikit_curl_set_close_socket(easy, closeWireSocket))
      try wire.set(CURLOPT_CLOSESOCKETDATA, pointer: me)
    }

    private static func wire(_ pointer: UnsafeMutableRawPointer?) -> CurlWire {
      // The loop keeps every wire that libcurl has a handle of.
      Unmanaged<CurlWire>.fromOpaque(pointer.unsafelyUnwrapped).takeUnretainedValue()
    }

    /// Has libcurl use the socket of a wire that is connected.
    static func installAdoption(on wire: CurlWire) -> CURLcode {
      capikit_curl_set_connected_socket(
        wire.easy, adoptSocket, isConnected, Unmanaged.passUnretained(wire).toOpaque())
    }

    private static let adoptSocket: OpenSocket = { me, _, _ in wire(me).socket }

    private static let isConnected:
      @convention(c) @Sendable (UnsafeMutableRawPointer?, curl_socket_t, curlsocktype) -> Int32 = { _, _, _ in
        Int32(CURL_SOCKOPT_ALREADY_CONNECTED)
      }

    private static let wireConnected: Prerequest = { me, _, _, _, _ in
      wire(me).prepared() ? Int32(CURL_PREREQFUNC_OK) : Int32(CURL_PREREQFUNC_ABORT)
    }

    private static let wireSecured: TLSContext = { _, context, me in
      let context = context.map { OpaquePointer($0) }
      if let context { wire(me).loop.session.tls.prepare(context) }
      SSL_CTX_set_cert_cb(context, wireAskedForCertificate, me)
      return CURLE_OK
    }

    private static let wireAskedForCertificate: TLSQuestion = { _, me in
      wire(me).wasAskedForCertificate = true
      return 1
    }

    private static let closeWireSocket: CloseSocket = { me, socket in
      wire(me).close(socket: socket)
      return 0
    }

    private static func handle(_ pointer: UnsafeMutableRawPointer?) -> CurlHandle {
      // libcurl passes back what `install` gave it, and the loop keeps every handle that libcurl holds.
      Unmanaged<CurlHandle>.fromOpaque(pointer.unsafelyUnwrapped).takeUnretainedValue()
    }

    private static func poll(_ pointer: UnsafeMutableRawPointer?) -> CurlPoll {
      Unmanaged<CurlPoll>.fromOpaque(pointer.unsafelyUnwrapped).takeUnretainedValue()
    }

    private typealias OpenSocket =
      @convention(c) @Sendable (UnsafeMutableRawPointer?, curlsocktype, UnsafeMutablePointer<curl_sockaddr>?)
      -> curl_socket_t
    private typealias CloseSocket =
      @convention(c) @Sendable (UnsafeMutableRawPointer?, curl_socket_t) -> Int32
    private typealias Prerequest =
      @convention(c) @Sendable (
        UnsafeMutableRawPointer?, UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<CChar>?, Int32, Int32
      ) -> Int32
    private typealias TLSContext =
      @convention(c) @Sendable (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?)
      -> CURLcode
    private typealias TLSQuestion =
      @convention(c) @Sendable (OpaquePointer?, UnsafeMutableRawPointer?) -> Int32
    private typealias Transfer =
      @convention(c) @Sendable (UnsafeMutablePointer<CChar>?, Int, Int, UnsafeMutableRawPointer?) -> Int

    private static let write: Transfer = { bytes, size, count, me in
      guard size * count > 0 else { return 0 }
      let taken = handle(me).receive(body: UnsafeRawBufferPointer(start: bytes, count: size * count))
      return taken == nil ? Int(CURL_WRITEFUNC_PAUSE) : taken == true ? size * count : 0
    }

    private static let header: Transfer = { bytes, size, count, me in
      let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
      // Another number than the one given ends the transfer.
      return handle(me).receive(line: line) ? size * count : size * count + 1
    }

    private static let read: Transfer = { bytes, size, count, me in
      handle(me).send(into: UnsafeMutableRawBufferPointer(start: bytes, count: size * count))
    }

    private static let seek: @convention(c) @Sendable (UnsafeMutableRawPointer?, curl_off_t, Int32) -> Int32 =
      { me, offset, origin in
        guard offset == 0, origin == SEEK_SET, handle(me).transfer.source?.rewind() == true else {
          return Int32(CURL_SEEKFUNC_FAIL)
        }
        return Int32(CURL_SEEKFUNC_OK)
      }

    private static let progress:
      @convention(c) @Sendable (UnsafeMutableRawPointer?, curl_off_t, curl_off_t, curl_off_t, curl_off_t) ->
        Int32 = { me, toReceive, received, toSend, sent in
          let handle = handle(me)
          handle.report(
            TransferProgress(
              sent: min(Int64(sent), handle.transfer.source?.given ?? .max),
              totalToSend: toSend > 0 ? Int64(toSend) : nil, received: Int64(received),
              totalToReceive: toReceive > 0 ? Int64(toReceive) : nil))
          return 0
        }

    private static let connected: Prerequest = { me, address, _, port, localPort in
      let mayBeSent = handle(me).connected(address, port, localPort: localPort)
      return mayBeSent ? Int32(CURL_PREREQFUNC_OK) : Int32(CURL_PREREQFUNC_ABORT)
    }

    /// Called before a new TLS connection is made. A server that requires a client certificate and a server
    /// that shares no cipher both send the alert `handshake_failure`; whether it asked for a certificate
    /// tells them apart.
    private static let secured: TLSContext = { _, context, me in
      let (handle, context) = (handle(me), context.map { OpaquePointer($0) })
      handle.transfer.tlsContext = context
      handle.tell(.nameLookedUp)
      handle.tell(.connected)
      if let context { handle.session.tls.prepare(context) }
      // The connection may outlive the handle, but not the loop.
      let loop = Unmanaged.passUnretained(handle.loop).toOpaque()
      if handle.transfer.challengeContext != nil { SSL_CTX_set_cert_verify_callback(context, verified, loop) }
      SSL_CTX_set_cert_cb(context, askedForCertificate, loop)
      return CURLE_OK
    }

    private static let askedForCertificate: TLSQuestion = { ssl, me in
      guard let me, let ssl, let context = SSL_get_SSL_CTX(ssl),
        let handle = Unmanaged<CurlLoop>.fromOpaque(me).takeUnretainedValue().handle(connecting: context)
      else { return 1 }
      return handle.askedForCertificate(ssl) ? 1 : 0
    }

    /// Called in place of OpenSSL's verification where the application decides about the server. It may find that the
    /// application must be asked first; the handshake then ends.
    private static let verified: TLSQuestion = { store, me in
      guard let me, let store,
        let ssl = X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()),
        let context = SSL_get_SSL_CTX(OpaquePointer(ssl)),
        let handle = Unmanaged<CurlLoop>.fromOpaque(me).takeUnretainedValue().handle(connecting: context)
      else { return 0 }
      return handle.accepts(store, OpaquePointer(ssl)) ? 1 : 0
    }

    private static let openSocket: OpenSocket = { me, _, address in
      address.map { handle(me).open($0) } ?? -1
    }

    private static let openWireSocket: OpenSocket = { me, _, address in
      address.map { poll(me).open($0) } ?? -1
    }

    private static let closeSocket: CloseSocket = { me, socket in
      poll(me).close(socket: socket)
      return 0
    }

    private static let want:
      @convention(c) @Sendable (
        UnsafeMutableRawPointer?, curl_socket_t, Int32, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?
      ) -> Int32 = { _, socket, what, me, _ in
        poll(me).want(socket, what)
        return 0
      }

    private static let timer:
      @convention(c) @Sendable (UnsafeMutableRawPointer?, Int, UnsafeMutableRawPointer?) -> Int32 = {
        _, milliseconds, me in
        guard let me else { return 0 }
        Unmanaged<CurlEventLoop>.fromOpaque(me).takeUnretainedValue().setTimer(milliseconds)
        return 0
      }
  }
#endif
