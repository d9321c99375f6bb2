import XCTest

#if canImport(Glibc)
  // Owns the constants of sockets in a build that reads it before Glibc.
  import CAPIKit
  import Glibc
#else
  import Darwin
#endif

/// A port of 127.0.0.1 that accepts no attempt to connect: its queue is full, and nobody empties it.
///
/// A stand-in for a firewall that drops packets: the system takes the first connection into the queue of
/// length 0 and lets every further SYN go unanswered.
final class BlackHole {
  let port: Int
  private var descriptors: [Int32] = []

  init() throws {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let listener = Self.stream()
    descriptors = [listener]
    let isListening = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, length) == 0 && listen(listener, 0) == 0 && getsockname(listener, $0, &length) == 0
      }
    }
    guard isListening else { throw XCTSkip("no port to listen on: errno \(errno)") }
    port = Int(UInt16(bigEndian: address.sin_port))
    // One more than the queue holds; the rest hang, as the attempt of the test will.
    for _ in 0..<3 {
      let filler = Self.stream()
      _ = fcntl(filler, F_SETFL, O_NONBLOCK)
      descriptors.append(filler)
      _ = withUnsafePointer(to: address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(filler, $0, length) }
      }
    }
  }

  deinit { for descriptor in descriptors { close(descriptor) } }

  private static func stream() -> Int32 {
    #if canImport(Glibc)
      socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      socket(AF_INET, SOCK_STREAM, 0)
    #endif
  }
}
