#if os(Linux)
  import APIKitTesting
  import Foundation
  @testable import TestSupport
  import XCTest

  @testable import APIKit
  @testable import APIKitSockets

  final class Events: BaseEventStreamManager, EventStreamManager {
    let service: SocketService
    let apiName = "events"
    var method = HTTPMethod.get
    var reconnection = ReconnectPolicy.standard
    var idleLimit: Duration = .seconds(300)
    var openLimit: Duration = .seconds(30)
    init(_ service: SocketService) { self.service = service }
    var onEnds: ((Events) -> Void)?
    func ends(at event: ServerEvent) -> Bool {
      onEnds?(self)
      return event.data == "[DONE]"
    }
  }

  final class SocketLoad: BaseAPIManager, APIManager {
    let service: SocketService
    let apiName = "load"
    init(_ service: SocketService) { self.service = service }
  }

  final class Lines: BaseLineStreamManager, LineStreamManager {
    let service: SocketService
    let apiName = "lines"
    var deliversBadLines = false
    init(_ service: SocketService) { self.service = service }
  }

  @MainActor final class StreamLog: EventStreamDelegate, LineStreamDelegate {
    var lines: [String] = []
    var closing: StreamClosing?
    var onEvent: (() -> Void)?

    func events(_ manager: BaseEventStreamManager, didOpenWith response: HTTPResponse, number: Int) {
      lines.append("open \(number)")
    }
    func events(_ manager: BaseEventStreamManager, didReceive event: ServerEvent) {
      lines.append("\(event.type) \(event.data)")
      onEvent?()
    }
    func events(
      _ manager: BaseEventStreamManager, didDisconnectWith closing: StreamClosing, retryAfter wait: Duration
    ) {
      lines.append("lost \(wait)")
    }
    func events(_ manager: BaseEventStreamManager, didCloseWith closing: StreamClosing) {
      self.closing = closing
      closings += 1
      onClose?()
    }
    var closings = 0
    var onClose: (() -> Void)?
    func lines(_ manager: BaseLineStreamManager, didReceive line: StreamLine) {
      lines.append("\(line.number) \((try? line.value.get().int) ?? -1)")
    }
    func lines(_ manager: BaseLineStreamManager, didCloseWith closing: StreamClosing) {
      self.closing = closing
    }

    func wait(file: StaticString = #filePath, line: UInt = #line, until isSo: () -> Bool) async {
      let start = ContinuousClock.now
      while !isSo() {
        guard ContinuousClock.now - start < .seconds(10) else {
          return XCTFail("\(lines)", file: file, line: line)
        }
        try? await Task.sleep(for: .milliseconds(1))
      }
    }
  }

  /// Tests of streams over libcurl, against servers that follow a script.
  @MainActor class StreamCase: XCTestCase {
    var servers: [ScriptedServer] = []
    let log = StreamLog()

    override func tearDown() async throws {
      for server in servers { server.stop() }
      servers = []
    }

    func service(_ scripts: [[ScriptedServer.Step]]) throws -> (SocketService, ScriptedServer) {
      let server = try ScriptedServer(scripts: scripts)
      servers.append(server)
      return (
        SocketService(
          environments: ServiceEnvironments(try server.url("/api")),
          client: HTTPClient(transport: try CurlTransport())), server
      )
    }

    static func head(_ type: String = "text/event-stream") -> String {
      "HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\nConnection: close\r\n\r\n"
    }
  }
#endif
