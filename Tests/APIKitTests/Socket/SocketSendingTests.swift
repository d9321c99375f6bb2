#if os(Linux)
  import Foundation
  import Synchronization
  import XCTest

  @testable import APIKit

  /// On which thread messages are written.
  @MainActor final class SocketSendingTests: SocketCase {
    /// How often the threads of sockets have waited for something.
    private var waits: Int {
      let folder = URL(fileURLWithPath: "/proc/self/task")
      let threads = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
      return threads.reduce(0) { sum, thread in
        let text =
          (try? String(contentsOf: folder.appendingPathComponent(thread + "/status"), encoding: .utf8)) ?? ""
        guard text.hasPrefix("Name:\t\(CurlWireLoop.threadName)\n"),
          let line = text.split(separator: "\n").first(where: { $0.hasPrefix("voluntary_ctxt_switches:") })
        else { return sum }
        return sum + (Int(line.filter(\.isNumber)) ?? 0)
      }
    }

    func testAReplyFromACallbackLeavesWithoutWakingTheThreadOfTheSocket() async throws {
      let received = Mutex<[UInt8]>([])
      let count = 100
      let messages = (0..<count).flatMap { number -> [ScriptedServer.Step] in
        [.pause(.milliseconds(2)), .write(ServerFrames.text("\(number)"))]
      }
      let server = try server([
        [.readHead, .upgrade()] + messages + [.readRest { bytes in received.withLock { $0 = bytes } }]
      ])
      let socket = try socket(server)
      socket.options.closeLimit = .milliseconds(50)
      _ = try await socket.opened()
      log.onMessage = { manager, message in try? manager.send(message) }
      let before = waits
      await log.wait("the messages") { log.messages.count == count }
      // Once for each message that comes.
      XCTAssertLessThan(waits - before, count * 3 / 2)
      try socket.close()
      XCTAssertTrue(server.waitUntilIdle())
      let frames = ServerFrames.read(received.withLock { $0 })
      XCTAssertEqual(
        frames.dropLast().map { String(decoding: $0.payload, as: UTF8.self) }, (0..<count).map(String.init))
    }

    func testWhatIsSentByEitherThreadKeepsItsOrder() async throws {
      let received = Mutex<[UInt8]>([])
      let server = try server([
        [.readHead, .upgrade(), .readRest { bytes in received.withLock { $0 = bytes } }]
      ])
      let socket = try socket(server)
      socket.options.closeLimit = .milliseconds(50)
      _ = try await socket.opened()
      var sent: [String] = []
      // Small ones may leave on the main actor, large ones do on the socket's thread.
      for number in 0..<300 {
        let message = String(repeating: "\(number),", count: number % 5 == 0 ? 6000 : 1)
        try socket.send(.text(message), compressed: false)
        sent.append(message)
        if number % 7 == 0 { try await Task.sleep(for: .microseconds(200)) }
      }
      try socket.close()
      await log.waitForClose()
      XCTAssertTrue(server.waitUntilIdle())
      let frames = ServerFrames.read(received.withLock { $0 })
      XCTAssertEqual(frames.dropLast().map { String(decoding: $0.payload, as: UTF8.self) }, sent)
    }
  }
#endif
