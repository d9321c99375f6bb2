import APIKit
import Foundation

#if canImport(Glibc)
  // Owns the constants of sockets in a build that reads it before Glibc.
  import CAPIKit
  import Glibc
#else
  import Darwin
#endif

/// A raw TCP server on loopback whose connections follow a script: it may respond wrongly on purpose.
///
/// ```swift
/// let server = try ScriptedServer(.readRequest, .text("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"), .reset)
/// defer { server.stop() }
/// ```
/// The nth connection runs the nth script, later ones the last. One thread per connection; whatever a
/// script waits for ends when the client goes or the server stops, and after 20 seconds in any case.
final class ScriptedServer: Sendable {
  /// One thing a connection does. After the last step the connection is closed in order.
  enum Step: Sendable {
    /// Reads a whole request, body included, and records it. The script ends when the client closed.
    case readRequest
    /// Reads a request's head alone and records it; the body stays unread.
    case readHead
    /// Writes bytes.
    case write([UInt8])
    /// Writes text.
    case text(String)
    /// Writes text past TLS, as a server that has gone wrong.
    case unencrypted(String)
    /// Sends a TLS session ticket.
    case ticket
    /// Writes so many bytes at a time with a pause between.
    case drip([UInt8], size: Int, every: Duration)
    /// Waits.
    case pause(Duration)
    /// Waits until the test opens the latch.
    case wait(Latch)
    /// Opens a latch: tells the test that the script came this far.
    case open(Latch)
    /// Waits until the client closes.
    case waitForClose
    /// Reads until the client closes, and gives what was not read as a request before.
    case readRest(@Sendable ([UInt8]) -> Void)
    /// Responds to the request read last.
    case response(@Sendable (Received) -> [UInt8])
    /// Reads and responds to requests on the one connection until the client closes.
    case serve(@Sendable (Received) -> [UInt8])
    /// Reads lines and responds to each, up to one with this beginning: FTP, for example. The script ends when the
    /// client closed.
    case lines(until: String, @Sendable (String) -> String)
    /// Sends the end of the stream; the connection stays.
    case end
    /// Sends the end of the stream without that of TLS, as an attacker would; the connection stays.
    case cut
    /// Refuses every later connection.
    case stopListening
    /// Closes in order.
    case close
    /// Closes with a reset (RST) instead of an orderly end.
    case reset
  }

  /// One request as it came.
  struct Received: Sendable {
    var method = ""
    var target = ""
    var version = ""
    var headers = HTTPHeaders()
    var body: [UInt8] = []
    var isChunked = false
    /// The number of the connection, from 0.
    var connection = 0
    /// The head as it stood on the wire.
    var head = ""

    var text: String { String(decoding: body, as: UTF8.self) }
  }

  private struct State {
    var requests: [Received] = []
    var accepted = 0
    var open: Set<Int32> = []
    var isStopped = false
    var latches: [Latch] = []
    /// Emptied at the end: XCTest keeps every test case, and a case its servers.
    var scripts: [[Step]] = []
  }

  let port: Int
  private let tls: ScriptedTLS?
  /// Later connections run their script without a handshake.
  private let handshakes: Int
  private let listener: Int32
  private let state = Mutex(State())
  private let changed = NSCondition()

  /// A server whose every connection runs the one script.
  convenience init(_ steps: Step...) throws { try self.init(scripts: [steps]) }

  /// A server that responds to each request by a closure, connections kept alive.
  static func serving(_ response: @escaping @Sendable (Received) -> [UInt8]) throws -> ScriptedServer {
    try ScriptedServer(.serve(response))
  }

  /// A server whose nth connection runs the nth script, over TLS when it is given, and on a Unix domain socket
  /// when there is a path for it; else at this address of the machine.
  ///
  /// - Parameter handshakes: How many connections speak TLS; later ones run their script on the bare connection.
  init(
    scripts: [[Step]], tls: ScriptedTLS? = nil, handshakes: Int = .max, unixPath: String? = nil,
    at host: String = "127.0.0.1"
  ) throws {
    self.tls = tls
    self.handshakes = handshakes
    state.withLock { $0.scripts = scripts }
    let family = unixPath == nil ? AF_INET : AF_UNIX
    #if canImport(Glibc)
      listener = socket(family, Int32(SOCK_STREAM.rawValue), 0)
    #else
      listener = socket(family, SOCK_STREAM, 0)
    #endif
    var address = sockaddr_in()
    let isListening =
      if let unixPath { Self.accepts(listener, at: unixPath) } else { Self.accepts(listener, &address, host) }
    guard isListening else { throw POSIXError(.EADDRNOTAVAIL) }
    port = Int(UInt16(bigEndian: address.sin_port))
    Thread.detachNewThread { [self] in acceptAll() }
  }

  private static func accepts(_ listener: Int32, _ address: inout sockaddr_in, _ host: String) -> Bool {
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr(host)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    return withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        bind(listener, pointer, length) == 0 && listen(listener, 512) == 0
          && getsockname(listener, pointer, &length) == 0
      }
    }
  }

  private static func accepts(_ listener: Int32, at path: String) -> Bool {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        bind(listener, pointer, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0 && listen(listener, 512) == 0
      }
    }
  }

  /// A URL of this server; the path must be well formed.
  func url(_ path: String = "/", host: String = "127.0.0.1", scheme: String? = nil) throws -> HTTPURL {
    let scheme = scheme ?? (tls == nil ? "http" : "https")
    return try HTTPURL("\(scheme)://\(host):\(port)\(path)")
  }

  /// The requests read so far.
  var requests: [Received] { state.withLock { $0.requests } }

  /// The connections accepted so far.
  var connectionCount: Int { state.withLock { $0.accepted } }

  /// The connections that are open now.
  var openCount: Int { state.withLock { $0.open.count } }

  /// Blocks until so many requests were read; false when they did not come within the limit.
  @discardableResult
  func waitForRequests(_ count: Int, seconds: Double = 10) -> Bool {
    wait(seconds) { $0.requests.count >= count }
  }

  /// Blocks until so many connections were accepted; false when they did not come within the limit.
  @discardableResult
  func waitForConnections(_ count: Int, seconds: Double = 10) -> Bool {
    wait(seconds) { $0.accepted >= count }
  }

  /// Blocks until no connection is open; false when that did not come within the limit.
  @discardableResult
  func waitUntilIdle(seconds: Double = 10) -> Bool { wait(seconds) { $0.open.isEmpty } }

  /// Blocks until at most so many connections are open; false when that did not come within the limit.
  @discardableResult
  func waitForOpen(atMost count: Int, seconds: Double = 10) -> Bool {
    wait(seconds) { $0.open.count <= count }
  }

  /// Ends every connection that is open; the server goes on.
  func dropConnections() {
    state.withLock { state in
      for one in state.open { shutdown(one, Int32(SHUT_RDWR)) }
    }
    waitUntilIdle()
  }

  /// Ends the listener and every connection.
  func stop() {
    let first = state.withLock { state in
      guard !state.isStopped else { return false }
      state.isStopped = true
      state.scripts = []
      for one in state.open { shutdown(one, Int32(SHUT_RDWR)) }
      return true
    }
    if first { shutdown(listener, Int32(SHUT_RDWR)) }
  }

  // MARK: Bytes of responses

  /// A well-formed response with its Content-Length.
  static func response(
    _ status: Int = 200, _ headers: HTTPHeaders = HTTPHeaders(), _ body: [UInt8] = []
  ) -> [UInt8] {
    var head = "HTTP/1.1 \(status) Whatever\r\n"
    for field in headers { head += "\(field.name): \(field.value)\r\n" }
    if !headers.contains("Content-Length"), !headers.contains("Transfer-Encoding"), status >= 200,
      status != 204, status != 304
    {
      head += "Content-Length: \(body.count)\r\n"
    }
    return Array((head + "\r\n").utf8) + body
  }

  /// A well-formed response of text.
  static func response(
    _ status: Int = 200, _ headers: HTTPHeaders = HTTPHeaders(), text: String
  ) -> [UInt8] {
    response(status, headers, Array(text.utf8))
  }

  // MARK: Insides

  private func wait(_ seconds: Double, _ isTrue: (borrowing State) -> Bool) -> Bool {
    let end = Date(timeIntervalSinceNow: seconds)
    changed.lock()
    defer { changed.unlock() }
    while !state.withLock({ isTrue($0) }) {
      if !changed.wait(until: end) { return state.withLock { isTrue($0) } }
    }
    return true
  }

  private func change(_ work: (inout State) -> Void) {
    changed.lock()
    state.withLock { work(&$0) }
    changed.broadcast()
    changed.unlock()
  }

  private func acceptAll() {
    while true {
      let socket = accept(listener, nil, nil)
      guard socket >= 0 else { break }
      var number = 0
      var isStopped = false
      change { state in
        number = state.accepted
        isStopped = state.isStopped
        state.accepted += 1
        if !isStopped { state.open.insert(socket) }
      }
      guard !isStopped else {
        close(socket)
        break
      }
      let connection = number
      Thread.detachNewThread { [self] in run(socket, connection) }
    }
    close(listener)
  }

  private func run(_ socket: Int32, _ number: Int) {
    var one: Int32 = 1
    setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
    var wire = Connection(socket: socket, number: number)
    let script = state.withLock { state in
      state.scripts.isEmpty ? [] : state.scripts[min(number, state.scripts.count - 1)]
    }
    let speaksTLS = number < handshakes
    if let tls, speaksTLS { wire.tls = tls.accept(socket) }
    let isOpen = tls == nil || !speaksTLS || wire.tls != nil
    for step in isOpen ? script : [] {
      guard perform(step, &wire), !state.withLock({ $0.isStopped }) else { break }
    }
    wire.tls?.close()
    wire.tls = nil
    // The descriptor leaves the list before it is closed: its number may be given out again at once.
    change { $0.open.remove(socket) }
    close(socket)
  }

  private func perform(_ step: Step, _ wire: inout Connection) -> Bool {
    switch step {
    case .readRequest: return read(&wire, withBody: true)
    case .readHead: return read(&wire, withBody: false)
    case .write(let bytes): return wire.write(bytes)
    case .text(let text): return wire.write(Array(text.utf8))
    case .unencrypted(let text): return wire.write(Array(text.utf8), pastTLS: true)
    case .ticket: return wire.tls?.sendTicket() == true
    case .drip(let bytes, let size, let every):
      var rest = bytes[...]
      while !rest.isEmpty {
        guard wire.write(Array(rest.prefix(size))), wire.pause(every) else { return false }
        rest = rest.dropFirst(size)
      }
      return true
    case .pause(let time): return wire.pause(time)
    case .wait(let latch):
      latch.wait()
      return true
    case .open(let latch):
      latch.open()
      return true
    case .waitForClose:
      wire.waitForClose()
      return true
    case .readRest(let give):
      give(wire.readRest())
      return true
    case .response(let make): return wire.write(make(wire.last))
    case .serve(let make):
      while read(&wire, withBody: true) { guard wire.write(make(wire.last)) else { return false } }
      return true
    case .lines(let last, let make):
      while let line = wire.readLine() {
        guard wire.write(Array(make(line).utf8)) else { return false }
        if line.hasPrefix(last) { return true }
      }
      return false
    case .end:
      wire.tls?.close()
      return shutdown(wire.socket, Int32(SHUT_WR)) == 0
    case .stopListening:
      // Not closed here: the thread that accepts closes it when its call returns.
      return shutdown(listener, Int32(SHUT_RDWR)) == 0
    case .cut: return shutdown(wire.socket, Int32(SHUT_WR)) == 0
    case .close: return false
    case .reset:
      var linger = linger(l_onoff: 1, l_linger: 0)
      setsockopt(
        wire.socket, SOL_SOCKET, SO_LINGER, &linger,
        socklen_t(MemoryLayout.size(ofValue: linger)))
      return false
    }
  }

  private func read(_ wire: inout Connection, withBody: Bool) -> Bool {
    guard let request = wire.readRequest(withBody: withBody) else { return false }
    wire.last = request
    change { $0.requests.append(request) }
    return true
  }
}

/// Holds a script until the test opens it; ends by itself after 20 seconds.
final class Latch: Sendable {
  private let condition = NSCondition()
  private let isOpen = Mutex(false)

  func open() {
    condition.lock()
    isOpen.withLock { $0 = true }
    condition.broadcast()
    condition.unlock()
  }

  /// Whether it was opened.
  var isOpened: Bool { isOpen.withLock { $0 } }

  /// Blocks until it is open; false when that did not come within the limit.
  @discardableResult
  func wait(seconds: Double = 20) -> Bool {
    let end = Date(timeIntervalSinceNow: seconds)
    condition.lock()
    defer { condition.unlock() }
    while !isOpened {
      if !condition.wait(until: end) { return isOpened }
    }
    return true
  }
}
