import Foundation

#if canImport(Glibc)
  // Owns the constants of sockets in a build that reads it before Glibc.
  import CAPIKit
  import Glibc
#else
  import Darwin
#endif

/// A blocking socket to the loopback address, so that tests can send what no client would.
final class RawClient {
  private let descriptor: Int32

  init(port: UInt16) {
    #if canImport(Glibc)
      descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    // A test that waits for bytes which never come ends all the same.
    var limit = timeval(tv_sec: 5, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
  }

  deinit { _ = close(descriptor) }

  func send(_ text: String) { send(Array(text.utf8)) }

  func send(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { systemSend(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  func finishSending() { _ = shutdown(descriptor, Int32(SHUT_WR)) }

  /// All bytes until the server closes.
  func readToEnd() -> String { String(decoding: readBytesToEnd(), as: UTF8.self) }

  /// All bytes until the server closes, unchanged.
  func readBytesToEnd() -> [UInt8] {
    var all: [UInt8] = []
    while let more = readSome() { all += more }
    return all
  }

  /// Reads until the text holds `ending` so many times, or the server closes.
  func read(until ending: String, times: Int = 1) -> String {
    var all: [UInt8] = []
    while true {
      let text = String(decoding: all, as: UTF8.self)
      if text.components(separatedBy: ending).count > times { return text }
      guard let more = readSome() else { return text }
      all += more
    }
  }

  private func readSome() -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: 65536)
    var count = recv(descriptor, &buffer, buffer.count, 0)
    // A process that was stopped and goes on has its waits interrupted.
    while count < 0, errno == EINTR { count = recv(descriptor, &buffer, buffer.count, 0) }
    return count > 0 ? Array(buffer[..<count]) : nil
  }
}

/// Sends without the signal that a closed connection would raise.
private func systemSend(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  #if canImport(Glibc)
    send(descriptor, bytes, count, Int32(MSG_NOSIGNAL))
  #else
    send(descriptor, bytes, count, 0)
  #endif
}
