import APIKit

#if os(Linux)
  import CAPIKit
  import Foundation
  import Glibc

  /// Passes connections of 127.0.0.1 on to another port of it, and resets them on demand. One thread a connection.
  final class CuttingRelay: Sendable {
    let port: UInt16
    private let target: UInt16
    private let listener: Int32
    private let open = Mutex<Set<Int32>>([])

    init(to target: UInt16) throws {
      self.target = target
      listener = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      var address = Self.address(0)
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      let isListening = withUnsafeMutablePointer(to: &address) { [listener] pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(listener, $0, length) == 0 && listen(listener, 512) == 0
            && getsockname(listener, $0, &length) == 0
        }
      }
      guard isListening else { throw POSIXError(.EADDRNOTAVAIL) }
      port = UInt16(bigEndian: address.sin_port)
      Thread.detachNewThread { [self] in
        while true {
          let client = accept(listener, nil, nil)
          guard client >= 0 else { break }
          Thread.detachNewThread { [self] in pass(client) }
        }
        close(listener)
      }
    }

    /// Resets every connection that is open; later ones are passed on.
    func cut() {
      open.withLock { open in
        for one in open {
          var linger = linger(l_onoff: 1, l_linger: 0)
          setsockopt(one, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
          shutdown(one, Int32(SHUT_RD))
        }
      }
    }

    func stop() {
      shutdown(listener, Int32(SHUT_RDWR))
      cut()
    }

    private static func address(_ port: UInt16) -> sockaddr_in {
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = inet_addr("127.0.0.1")
      return address
    }

    private func pass(_ client: Int32) {
      let server = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      let address = Self.address(target)
      let isConnected = withUnsafePointer(to: address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
      }
      open.withLock { $0.formUnion([client, server]) }
      var buffer = [UInt8](repeating: 0, count: 64 << 10)
      while isConnected {
        var both = [
          pollfd(fd: client, events: Int16(POLLIN), revents: 0),
          pollfd(fd: server, events: Int16(POLLIN), revents: 0),
        ]
        guard poll(&both, 2, 20_000) > 0 else { break }
        let (from, to) = both[0].revents != 0 ? (client, server) : (server, client)
        let count = recv(from, &buffer, buffer.count, 0)
        guard count > 0, Self.write(buffer[..<count], to: to) else { break }
      }
      open.withLock { $0.subtract([client, server]) }
      close(client)
      close(server)
    }

    private static func write(_ bytes: ArraySlice<UInt8>, to socket: Int32) -> Bool {
      var rest = bytes
      while !rest.isEmpty {
        let written = rest.withUnsafeBytes { send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        guard written > 0 else { return false }
        rest = rest.dropFirst(written)
      }
      return true
    }
  }
#endif
