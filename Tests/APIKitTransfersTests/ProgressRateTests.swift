import APIKitTesting
import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitTransfers

/// How often a delegate hears of the progress of a transfer, and what it hears last.
@MainActor final class ProgressRateTests: UploadCase {
  private nonisolated static let chunk = 16 << 10
  private nonisolated static let chunks = 240

  /// A stream that gives 240 chunks in about 1.5 seconds: without a limit, there would be as many reports.
  private func paced() -> HTTPBody {
    .stream(
      HTTPBodyStream(length: Int64(Self.chunk * Self.chunks)) {
        let given = Counter()
        return {
          guard given.next() < Self.chunks else { return nil }
          try await Task.sleep(for: .milliseconds(5))
          return [UInt8](repeating: 7, count: Self.chunk)
        }
      })
  }

  /// Does the work, and holds when the delegate was told at most 12 times a second meanwhile, and at the end.
  private func assertSparse(
    _ delegate: TimedDelegate, line: UInt = #line, _ work: () async throws -> Void
  ) async throws {
    let time = SystemTime()
    let begin = time.now
    try await work()
    let seconds = (time.now - begin) / .seconds(1)
    XCTAssertGreaterThan(seconds, 0.5, "it took too little time to tell", line: line)
    XCTAssertGreaterThan(delegate.count, 3, "it was told on the way", line: line)
    XCTAssertLessThanOrEqual(Double(delegate.count), seconds * 12 + 1, line: line)
  }

  func testAnUploadIsToldAtMostTwelveTimesASecondAndAtLastExactly() async throws {
    let server = try ScriptedServer.serving { _ in ScriptedServer.response(200) }
    defer { server.stop() }
    let (manager, delegate) = (manager(try server.url("/api")), TimedDelegate())
    manager.delegate = delegate
    try await assertSparse(delegate) { _ = try await manager.response(uploading: paced()) }
    XCTAssertEqual(delegate.last?.sent, Int64(Self.chunk * Self.chunks))
    XCTAssertEqual(delegate.last?.totalToSend, Int64(Self.chunk * Self.chunks))
    XCTAssertEqual(delegate.moved, Int64(Self.chunk * Self.chunks), "the parts add up to the whole")
  }

  func testTheFullCountIsToldOnceHoweverLongTheResponseTakes() async throws {
    for body in ["", "done"] {
      // libcurl calls once a second while nothing moves.
      let server = try ScriptedServer(
        .readRequest, .pause(.milliseconds(2500)),
        .text(
          "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"))
      defer { server.stop() }
      let (manager, delegate) = (manager(try server.url("/api")), TimedDelegate())
      manager.delegate = delegate
      _ = try? await manager.response(uploading: .bytes([UInt8](repeating: 7, count: 300_000)))
      let full = delegate.all.filter { $0.sent == 300_000 && $0.received == 0 }
      // Where the last part follows at once, the full count may come with the response, as the last report.
      XCTAssertLessThanOrEqual(full.count, 1, "\(delegate.all)")
      XCTAssertEqual(delegate.last?.sent, 300_000)
      XCTAssertEqual(delegate.last?.received, Int64(body.utf8.count))
    }
  }

  func testADownloadIsToldAtMostTwelveTimesASecondAndAtLastExactly() async throws {
    let content = [UInt8](repeating: 7, count: Self.chunk * Self.chunks)
    let server = try ScriptedServer(
      .readRequest, .text("HTTP/1.1 200 OK\r\nContent-Length: \(content.count)\r\nETag: \"a\"\r\n\r\n"),
      .drip(content, size: Self.chunk, every: .milliseconds(5)))
    defer { server.stop() }
    let service = TestService(
      HTTPClient(transport: DefaultTransport.shared), ServiceEnvironments(try server.url("/api")))
    let (manager, delegate) = (TimedDownloads(service), TimedDelegate())
    manager.delegate = delegate
    try await assertSparse(delegate) { _ = try await manager.file(to: .file(path("a"))) }
    XCTAssertEqual(delegate.last?.received, Int64(content.count))
    XCTAssertEqual(delegate.last?.totalToReceive, Int64(content.count))
    XCTAssertEqual(delegate.moved, Int64(content.count), "the parts add up to the whole")
  }

  func testAnUploadInManySmallPartsIsToldNoMoreOften() async throws {
    let server = try ScriptedServer.serving { request in
      let offset = request.headers["Upload-Offset"].flatMap { Int($0) } ?? 0
      // So that the whole takes more than a second.
      Thread.sleep(forTimeInterval: 0.004)
      return request.method == "POST"
        ? ScriptedServer.response(201, ["Location": "/api/tus/1"])
        : ScriptedServer.response(204, ["Upload-Offset": "\(offset + request.body.count)"])
    }
    defer { server.stop() }
    let (manager, delegate) = (manager(try server.url("/api")), TimedDelegate())
    var options = TusOptions()
    options.journalFolder = path("journals")
    options.partBytes = 1000
    manager.uploadProtocol = .tus(options)
    manager.delegate = delegate
    try await assertSparse(delegate) {
      _ = try await manager.response(uploading: .bytes([UInt8](repeating: 7, count: 300_000)))
    }
    XCTAssertEqual(server.requests.count, 301)
    XCTAssertEqual(delegate.last?.sent, 300_000)
    XCTAssertEqual(delegate.last?.totalToSend, 300_000)
    XCTAssertEqual(delegate.moved, 300_000, "the parts add up to the whole")
  }
}

private final class TimedDownloads: BaseDownloadManager, DownloadManager {
  let service: TestService
  let apiName = "files"
  init(_ service: TestService) { self.service = service }
}

/// Notes how often it hears what.
@MainActor private final class TimedDelegate: UploadManagerDelegate, DownloadManagerDelegate {
  private(set) var count = 0
  private(set) var all: [TransferProgress] = []
  var last: TransferProgress? { all.last }
  /// The sum of what was moved from report to report.
  private(set) var moved: Int64 = 0

  private func take(_ progress: TransferProgress) {
    count += 1
    all.append(progress)
    moved += progress.delta
  }

  func manager(_ manager: BaseUploadManager, didProgress progress: TransferProgress) { take(progress) }
  func manager(_ manager: BaseUploadManager, didSucceedWith response: APIResponse) {}
  func manager(_ manager: BaseUploadManager, didFailWith error: APIError) {}
  func manager(_ manager: BaseDownloadManager, didProgress progress: TransferProgress) { take(progress) }
  func manager(_ manager: BaseDownloadManager, didSucceedWith file: DownloadedFile) {}
  func manager(_ manager: BaseDownloadManager, didFailWith error: APIError) {}
}
