import APIKitTesting
import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitTransfers

/// Tests of downloads from servers on loopback, with a folder of their own.
@MainActor class DownloadCase: XCTestCase {
  lazy var folder = temporaryFolder()
  let content = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }

  var names: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
  }
  func path(_ name: String) -> String { folder.appendingPathComponent(name).path }
  func bytes(_ name: String) -> [UInt8]? {
    FileManager.default.contents(atPath: path(name)).map(Array.init)
  }

  func manager(_ server: ScriptedServer, attempts: Int = 1) throws -> FileManagerOfTests {
    var service = TestService(
      HTTPClient(transport: DefaultTransport.shared), ServiceEnvironments(try server.url("/api")))
    service.retryPolicy = RetryPolicy(attempts: attempts)
    service.retryPolicy.backoff = .constant(.zero)
    // A limit that would end a large file.
    service.timeouts.total = .seconds(100)
    return FileManagerOfTests(service)
  }

  /// A server of one file with ranges, each of whose bodies breaks off after so many bytes or, if it `waits`, stalls there.
  func fileServer(
    _ content: [UInt8], etag: @escaping @Sendable () -> String = { "\"a\"" }, breaksAfter limit: Int = .max,
    waits: Bool = false, fields: String = ""
  ) throws -> ScriptedServer {
    let response: @Sendable (ScriptedServer.Received) -> [UInt8] = { request in
      var (first, status, range) = (0, "200 OK", "")
      if let asked = request.headers["Range"], request.headers["If-Range"] == etag() {
        first = Int(asked.dropFirst("bytes=".count).dropLast()) ?? 0
        status = "206 Partial Content"
        range = "Content-Range: bytes \(first)-\(content.count - 1)/\(content.count)\r\n"
      }
      let head =
        "HTTP/1.1 \(status)\r\nContent-Length: \(content.count - first)\r\nETag: \(etag())\r\n\(range)\(fields)\r\n"
      return Array(head.utf8) + content[first..<min(content.count, first + min(limit, content.count))]
    }
    if limit == .max { return try .serving(response) }
    return try ScriptedServer(.readRequest, .response(response), waits ? .waitForClose : .close)
  }
}

final class FileManagerOfTests: BaseDownloadManager, DownloadManager {
  var service: TestService
  var apiName = "files"
  init(_ service: TestService) { self.service = service }

  var idle: Duration? {
    get { service.timeouts.idle }
    set { service.timeouts.idle = newValue }
  }
}

/// Sends what is for any port to one.
struct OtherPort: AsyncHTTPTransport {
  let port: Int
  init(_ port: Int) { self.port = port }
  var capabilities: TransportCapabilities { DefaultTransport.shared.capabilities }

  func respond(to exchange: HTTPExchange) async throws(APIError) -> HTTPResponse {
    var exchange = exchange
    exchange.request.options.connectTo = "127.0.0.1:\(port)"
    return try await DefaultTransport.shared.send(exchange)
  }
}

@MainActor final class DownloadDelegate: DownloadManagerDelegate {
  var story: [String] = []

  func manager(_ manager: BaseDownloadManager, didSucceedWith file: DownloadedFile) {
    story.append("finished \((file.path as NSString).lastPathComponent)")
  }
  func manager(_ manager: BaseDownloadManager, didFailWith error: APIError) {
    story.append("failed \(error.reason)")
  }
  func manager(_ manager: BaseDownloadManager, didBeginAt offset: Int64, of total: Int64?) {
    story.append("began \(offset) of \(text(total))")
  }
  func manager(_ manager: BaseDownloadManager, didProgress progress: TransferProgress) {
    story.append("\(progress.received) of \(text(progress.totalToReceive))")
  }
  func manager(_ manager: BaseDownloadManager, didPauseAt offset: Int64, of total: Int64?) {
    story.append("paused at \(offset) of \(text(total))")
  }
  func manager(
    _ manager: BaseDownloadManager, didCancel flight: FlightID, because reason: CancellationReason
  ) {
    story.append("cancelled \(reason)")
  }
  private func text(_ count: Int64?) -> String { count.map { "\($0)" } ?? "unknown" }
}
