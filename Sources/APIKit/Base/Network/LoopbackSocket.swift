import Foundation

#if os(Linux)
  import CAPIKit
#endif

/// Sockets on 127.0.0.1 for servers within the process, and the pipes that wake them: they never block, are not inherited by child
/// processes, and raise no signal when the other side is gone.
package enum LoopbackSocket {
  /// Why there is no socket: what was tried, and the system's words.
  package struct Fault: Error, CustomStringConvertible {
    package let description: String

    fileprivate init(_ attempt: String) { description = "\(attempt): \(String(cString: strerror(errno)))" }
  }

  /// A socket that listens, and the pipe that wakes the thread that waits for it.
  package struct Listener: Sendable {
    package let descriptor: Int32
    package let port: UInt16
    package let bell: (read: Int32, write: Int32)
  }

  /// What one read found.
  package enum Received: Equatable {
    case bytes(Int)
    case nothing
    /// The other side sends no more.
    case end
    case failed
  }

  /// Listens on a port; 0 lets the system choose.
  ///
  /// - Parameter backlog: How many connections may wait to be accepted.
  package static func listen(
    port: UInt16, backlog: Int32
  ) throws(Fault) -> (descriptor: Int32, port: UInt16) {
    #if canImport(Darwin)
      let kind = SOCK_STREAM
    #else
      let kind = Int32(CAPIKIT_SOCK_STREAM)
    #endif
    let descriptor = socket(AF_INET, kind, 0)
    guard descriptor >= 0 else { throw Fault("open a socket") }
    set(SO_REUSEADDR, of: descriptor, at: SOL_SOCKET)
    prepare(descriptor)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
        bind(descriptor, generic, length) == 0 && systemListen(descriptor, backlog) == 0
          && getsockname(descriptor, generic, &length) == 0
      }
    }
    guard isBound else {
      let fault = Fault("listen on port \(port) of 127.0.0.1")
      end(descriptor)
      throw fault
    }
    return (descriptor, UInt16(bigEndian: address.sin_port))
  }

  /// Listens on a port, with a pipe to wake who waits for connections.
  package static func open(port: UInt16, backlog: Int32) throws(Fault) -> Listener {
    let bell = try makePipe()
    do throws(Fault) {
      let (descriptor, port) = try listen(port: port, backlog: backlog)
      return Listener(descriptor: descriptor, port: port, bell: bell)
    } catch {
      end(bell.read)
      end(bell.write)
      throw error
    }
  }

  /// Accepts a waiting connection; nil when there is none.
  ///
  /// - Parameter pauses: Whether to block for 100 ms when the process has no free file descriptor. The connection then stays in
  ///   the backlog, and a loop over `poll` would use the whole core.
  package static func accept(_ listener: Int32, pauses: Bool = true) -> Int32? {
    let descriptor = systemAccept(listener)
    guard descriptor >= 0 else {
      if pauses, errno == EMFILE || errno == ENFILE { _ = poll(nil, 0, 100) }
      return nil
    }
    prepare(descriptor)
    set(TCP_NODELAY, of: descriptor, at: Int32(IPPROTO_TCP))
    return descriptor
  }

  private static func makePipe() throws(Fault) -> (read: Int32, write: Int32) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw Fault("open a pipe") }
    for end in ends { prepare(end) }
    return (ends[0], ends[1])
  }

  /// Wakes who waits for the other end of a pipe.
  package static func wake(_ pipe: Int32) {
    var byte: UInt8 = 1
    _ = write(pipe, &byte, 1)
  }

  /// Empties a pipe.
  package static func drain(_ pipe: Int32) {
    var chunk = [UInt8](repeating: 0, count: 256)
    while read(pipe, &chunk, chunk.count) > 0 {}
  }

  /// Reads what is there into a buffer.
  package static func receive(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Received {
    let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
    if count > 0 { return .bytes(count) }
    return count == 0 ? .end : mayGoOn ? .nothing : .failed
  }

  /// Reads up to 8 KiB of what is there; empty when there is nothing yet, nil when the connection is over.
  package static func receive(_ descriptor: Int32) -> [UInt8]? {
    var received = Received.nothing
    let bytes = [UInt8](unsafeUninitializedCapacity: 8192) { buffer, count in
      received = receive(descriptor, into: UnsafeMutableRawBufferPointer(buffer))
      if case .bytes(let number) = received { count = number }
    }
    return received == .end || received == .failed ? nil : bytes
  }

  /// Sends bytes; returns how many were taken, 0 when there is no room, nil when the connection is over.
  package static func send(_ descriptor: Int32, _ bytes: ArraySlice<UInt8>) -> Int? {
    #if canImport(Darwin)
      let flags: Int32 = 0
    #else
      let flags = Int32(CAPIKIT_MSG_NOSIGNAL)
    #endif
    let count = bytes.withUnsafeBytes { systemSend(descriptor, $0, flags) }
    return count >= 0 ? count : mayGoOn ? 0 : nil
  }

  /// Ends sending, so that the other side reads everything before the connection is closed.
  package static func finishSending(_ descriptor: Int32) { _ = shutdown(descriptor, Int32(SHUT_WR)) }

  /// Closes a socket, or an end of a pipe.
  package static func end(_ descriptor: Int32) { _ = close(descriptor) }

  /// Whether the last call failed only because there was nothing to do yet.
  private static var mayGoOn: Bool { errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR }

  private static func prepare(_ descriptor: Int32) {
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    #if canImport(Darwin)
      set(SO_NOSIGPIPE, of: descriptor, at: SOL_SOCKET)
    #endif
  }

  private static func set(_ option: Int32, of descriptor: Int32, at level: Int32) {
    var yes: Int32 = 1
    setsockopt(descriptor, level, option, &yes, socklen_t(MemoryLayout<Int32>.size))
  }
}

// System calls whose names the enum uses for functions of its own.
private func systemListen(_ descriptor: Int32, _ backlog: Int32) -> Int32 { listen(descriptor, backlog) }
private func systemAccept(_ descriptor: Int32) -> Int32 { accept(descriptor, nil, nil) }
private func systemSend(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, _ flags: Int32) -> Int {
  send(descriptor, bytes.baseAddress, bytes.count, flags)
}
