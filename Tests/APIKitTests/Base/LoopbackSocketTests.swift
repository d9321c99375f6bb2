import Foundation
import XCTest

@testable import APIKit

#if os(Linux)
  import CAPIKit
#endif

/// The sockets of servers within the process.
final class LoopbackSocketTests: XCTestCase {
  /// A connection to a listener: the end of the client, and that of the server.
  private func connection(to listener: LoopbackSocket.Listener) throws -> (client: Int32, server: Int32) {
    #if canImport(Darwin)
      let client = socket(AF_INET, SOCK_STREAM, 0)
    #else
      let client = socket(AF_INET, Int32(CAPIKIT_SOCK_STREAM), 0)
    #endif
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = listener.port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let status = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    XCTAssertEqual(status, 0)
    return (client, try XCTUnwrap(LoopbackSocket.accept(listener.descriptor)))
  }

  private func close(_ listener: LoopbackSocket.Listener) {
    for descriptor in [listener.descriptor, listener.bell.read, listener.bell.write] {
      LoopbackSocket.end(descriptor)
    }
  }

  func testAPortThatIsTakenIsRefusedByItsNumber() throws {
    let listener = try LoopbackSocket.open(port: 0, backlog: 4)
    defer { close(listener) }
    XCTAssertThrowsError(try LoopbackSocket.open(port: listener.port, backlog: 4)) { error in
      XCTAssertEqual("\(error)", "listen on port \(listener.port) of 127.0.0.1: Address already in use")
    }
    XCTAssertEqual(fcntl(listener.descriptor, F_GETFD), FD_CLOEXEC)
    XCTAssertEqual(fcntl(listener.descriptor, F_GETFL) & O_NONBLOCK, O_NONBLOCK)
    XCTAssertNil(LoopbackSocket.accept(listener.descriptor))
  }

  func testBytesComeAsTheyAreThereAndAnEndIsAnEnd() throws {
    let listener = try LoopbackSocket.open(port: 0, backlog: 4)
    defer { close(listener) }
    let (client, server) = try connection(to: listener)
    defer { LoopbackSocket.end(server) }
    XCTAssertEqual(LoopbackSocket.receive(server), [])
    XCTAssertEqual(LoopbackSocket.send(client, [1, 2, 3]), 3)
    XCTAssertEqual(LoopbackSocket.receive(server), [1, 2, 3])
    LoopbackSocket.finishSending(client)
    XCTAssertNil(LoopbackSocket.receive(server))
    XCTAssertEqual(LoopbackSocket.send(server, [4]), 1)
    LoopbackSocket.end(client)
  }

  func testAPeerThatIsGoneEndsTheConnectionWithoutASignal() throws {
    let listener = try LoopbackSocket.open(port: 0, backlog: 4)
    defer { close(listener) }
    let (client, server) = try connection(to: listener)
    defer { LoopbackSocket.end(server) }
    LoopbackSocket.end(client)
    // The system accepts bytes until the reset of the closed peer arrives; each try leaves it a millisecond.
    var result: Int? = 0
    for _ in 0..<100 where result != nil {
      result = LoopbackSocket.send(server, [1])
      usleep(1000)
    }
    XCTAssertNil(result)
  }

  func testAFullSocketTakesNothing() throws {
    let listener = try LoopbackSocket.open(port: 0, backlog: 4)
    defer { close(listener) }
    let (client, server) = try connection(to: listener)
    defer { for descriptor in [client, server] { LoopbackSocket.end(descriptor) } }
    let chunk = [UInt8](repeating: 7, count: 1 << 20)[...]
    var counts: [Int] = []
    repeat { counts.append(try XCTUnwrap(LoopbackSocket.send(server, chunk))) } while counts.last != 0
    XCTAssertGreaterThan(counts.reduce(0, +), 0)
  }
}
