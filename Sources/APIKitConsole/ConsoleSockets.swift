import APIKit

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The socket calls of the console, with what differs between platforms.
enum ConsoleSockets {
  /// Listens on a port of 127.0.0.1; 0 lets the system choose.
  static func listen(port: UInt16) throws(APIError) -> (descriptor: Int32, port: UInt16) {
    #if canImport(Glibc)
      let kind = Int32(SOCK_STREAM.rawValue)
    #else
      let kind = SOCK_STREAM
    #endif
    let descriptor = socket(AF_INET, kind, 0)
    var yes: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    prepare(descriptor)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
        bind(descriptor, generic, length) == 0 && systemListen(descriptor, 32) == 0
          && getsockname(descriptor, generic, &length) == 0
      }
    }
    guard descriptor >= 0, isBound else {
      let reason = String(cString: strerror(errno))
      if descriptor >= 0 { close(descriptor) }
      throw APIError(
        .takeoff, .misconfigured, "the console cannot listen on port \(port) of 127.0.0.1: \(reason)")
    }
    return (descriptor, UInt16(bigEndian: address.sin_port))
  }

  /// Accepts a waiting connection; nil when there is none.
  static func accept(_ listener: Int32) -> Int32? {
    let descriptor = systemAccept(listener)
    guard descriptor >= 0 else {
      // Without a free descriptor the connection goes on waiting, and `poll` would return at once, again and again.
      if errno == EMFILE || errno == ENFILE { _ = poll(nil, 0, 100) }
      return nil
    }
    prepare(descriptor)
    return descriptor
  }

  /// Makes a pipe; returns its two ends.
  static func makePipe() throws(APIError) -> (read: Int32, write: Int32) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else {
      throw APIError(
        .takeoff, .misconfigured, "the console cannot open a pipe: \(String(cString: strerror(errno)))")
    }
    for end in ends { prepare(end) }
    return (ends[0], ends[1])
  }

  /// Sends bytes; returns how many were taken, nil when the connection is over.
  static func send(_ descriptor: Int32, _ bytes: ArraySlice<UInt8>) -> Int? {
    #if canImport(Darwin)
      let flags: Int32 = 0
    #else
      let flags = Int32(MSG_NOSIGNAL)
    #endif
    let count = bytes.withUnsafeBytes { systemSend(descriptor, $0, flags: flags) }
    return count >= 0 ? count : mayGoOn ? 0 : nil
  }

  /// Reads what is there; empty when there is nothing yet, nil when the connection is over.
  static func receive(_ descriptor: Int32) -> [UInt8]? {
    var chunk = [UInt8](repeating: 0, count: 8192)
    let count = recv(descriptor, &chunk, chunk.count, 0)
    if count > 0 { return Array(chunk[..<count]) }
    return count < 0 && mayGoOn ? [] : nil
  }

  /// Empties a pipe.
  static func drain(_ descriptor: Int32) {
    var chunk = [UInt8](repeating: 0, count: 256)
    while read(descriptor, &chunk, chunk.count) > 0 {}
  }

  static func wake(_ descriptor: Int32) {
    var byte: UInt8 = 1
    _ = write(descriptor, &byte, 1)
  }

  /// Waits for the descriptors; says which can be read or written.
  static func wait(_ descriptors: inout [pollfd], milliseconds: Int32) {
    if poll(&descriptors, nfds_t(descriptors.count), milliseconds) <= 0 {
      for index in descriptors.indices { descriptors[index].revents = 0 }
    }
  }

  /// Ends sending, so that the other side reads everything before the connection is closed.
  static func finishSending(_ descriptor: Int32) { _ = shutdown(descriptor, Int32(SHUT_WR)) }

  static func end(_ descriptor: Int32) { close(descriptor) }

  private static var mayGoOn: Bool { errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR }

  /// Makes it non-blocking and not inherited by child processes.
  private static func prepare(_ descriptor: Int32) {
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    #if canImport(Darwin)
      var yes: Int32 = 1
      setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &yes, socklen_t(MemoryLayout<Int32>.size))
    #endif
  }
}

// System calls whose names the enum uses for functions of its own.
private func systemListen(_ descriptor: Int32, _ backlog: Int32) -> Int32 { listen(descriptor, backlog) }
private func systemAccept(_ descriptor: Int32) -> Int32 { accept(descriptor, nil, nil) }
private func systemSend(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, flags: Int32) -> Int {
  send(descriptor, bytes.baseAddress, bytes.count, flags)
}
