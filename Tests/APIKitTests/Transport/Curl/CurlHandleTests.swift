#if os(Linux)
  import CAPIKit
  import Glibc
  @testable import TestSupport
  import XCTest

  @testable import APIKit

  /// Handles that are used again, and the sockets of a transport by their ports.
  final class CurlHandleTests: XCTestCase {
    func testSocketsAreFoundByTheirLocalPortAndSeveralMayShareOne() throws {
      let servers = try (0..<2).map { _ in try ScriptedServer(.waitForClose) }
      defer { for server in servers { server.stop() } }
      var sockets = CurlSocketsByPort()
      func connected(to server: ScriptedServer, from port: UInt16) -> (socket: Int32, port: UInt16) {
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        sockets.open(socket)
        var yes: Int32 = 1
        setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        XCTAssertEqual(sockets.sockets(at: 0), [])
        for (port, call) in [(port, bind), (UInt16(server.port), connect)] {
          var address = sockaddr_in()
          address.sin_family = sa_family_t(AF_INET)
          address.sin_addr.s_addr = inet_addr("127.0.0.1")
          address.sin_port = port.bigEndian
          let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
              call(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
          }
          XCTAssertEqual(result, 0, String(cString: strerror(errno)))
        }
        return (socket, capikit_local_port(socket))
      }
      let first = connected(to: servers[0], from: 0)
      let second = connected(to: servers[1], from: first.port)
      XCTAssertEqual(sockets.sockets(at: first.port), [first.socket, second.socket])
      sockets.close(first.socket)
      close(first.socket)
      XCTAssertEqual(sockets.sockets(at: first.port), [second.socket])
      sockets.close(second.socket)
      close(second.socket)
      XCTAssertEqual(sockets.sockets(at: first.port), [])
    }

    func testRecyclingAHandleGivesANewOneWhereLibcurlKeepsPointers() throws {
      let loop = try CurlLoop(.ephemeral, mailbox: try CurlMailbox())
      let handle = try CurlHandle(session: try CurlSession(.ephemeral), loop: loop)
      let count = 5000
      var kept = 0
      let clock = ContinuousClock.now
      for _ in 0..<count {
        // The address of a handle that was freed may come back, so a second one is held meanwhile.
        let before = handle.easy
        XCTAssertTrue(handle.recycle())
        if handle.easy == before { kept += 1 }
      }
      let each = (ContinuousClock.now - clock) / count
      let version = String(capikit_curl_version(), radix: 16)
      print("recycling a handle takes \(each); libcurl \(version), \(kept) of \(count) kept")
      XCTAssertEqual(kept == count, CurlHandle.isReusable)
    }
  }
#endif
