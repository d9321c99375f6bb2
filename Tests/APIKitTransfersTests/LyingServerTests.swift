import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitTransfers

/// Servers that lie about ranges: the file is that of one representation, whole, or the download fails.
@MainActor final class LyingServerTests: XCTestCase {
  private lazy var folder = temporaryFolder()
  private nonisolated static let old = (0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
  private nonisolated static let new = (0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 17 &+ 3) }

  private nonisolated static func response(
    _ status: Int, _ content: ArraySlice<UInt8>, length: Int? = nil, _ fields: HTTPHeaders
  ) -> [UInt8] {
    var headers = fields
    headers.add("Content-Length", "\(length ?? content.count)")
    return ScriptedServer.response(status, headers, Array(content))
  }

  /// The first body breaks off at half of the old file; what follows is the lie, then the truth about the new file.
  private func download(
    _ lie: @escaping @Sendable (ScriptedServer.Received) -> [UInt8]
  ) async throws -> (file: [UInt8], ranges: [String?]) {
    let count = Counter()
    let server = try ScriptedServer(
      .readRequest,
      .response { request in
        switch count.next() {
        case 0: Self.response(200, Self.old[..<10_000], length: 20_000, ["ETag": "\"old\""])
        case 1: lie(request)
        default:
          if let first = request.headers["Range"].flatMap({ Int($0.dropFirst("bytes=".count).dropLast()) }),
            request.headers["If-Range"] == "\"old\""
          {
            Self.response(
              206, Self.old[first...],
              ["ETag": "\"old\"", "Content-Range": "bytes \(first)-19999/20000"])
          } else {
            Self.response(200, Self.new[...], ["ETag": "\"new\""])
          }
        }
      }, .close)
    defer { server.stop() }
    var service = TestService(
      HTTPClient(transport: DefaultTransport.shared), ServiceEnvironments(try server.url("/api")))
    service.retryPolicy = RetryPolicy(attempts: 3)
    service.retryPolicy.backoff = .constant(.zero)
    let path = folder.appendingPathComponent(UUID().uuidString).path
    _ = try await LyingDownloads(service).file(to: .file(path))
    XCTAssertEqual(server.requests.dropFirst().first?.headers["Range"], "bytes=10000-")
    return (
      Array(FileManager.default.contents(atPath: path) ?? Data()), server.requests.map { $0.headers["Range"] }
    )
  }

  func testABodyThatBreaksOffBeforeItsFirstByteIsAskedForAgain() async throws {
    for fields: HTTPHeaders in [["ETag": "\"old\""], HTTPHeaders()] {
      let count = Counter()
      let server = try ScriptedServer(
        .readRequest,
        .response { _ in
          Self.response(200, count.next() < 2 ? [] : Self.old[...], length: 20_000, fields)
        }, .close)
      defer { server.stop() }
      var service = TestService(
        HTTPClient(transport: DefaultTransport.shared), ServiceEnvironments(try server.url("/api")))
      service.retryPolicy = RetryPolicy(attempts: 3)
      service.retryPolicy.backoff = .constant(.zero)
      let path = folder.appendingPathComponent(UUID().uuidString).path
      _ = try await LyingDownloads(service).file(to: .file(path))
      XCTAssertEqual(Array(FileManager.default.contents(atPath: path) ?? Data()), Self.old)
      XCTAssertEqual(server.requests.map { $0.headers["Range"] }, [nil, nil, nil])
    }
  }

  func testAChangedFileIsFetchedFromItsStart() async throws {
    // A part of the new file in place of the old one's.
    let (file, ranges) = try await download { _ in
      Self.response(
        206, Self.new[10_000...], ["ETag": "\"new\"", "Content-Range": "bytes 10000-19999/20000"])
    }
    XCTAssertEqual(file, Self.new)
    XCTAssertEqual(ranges, [nil, "bytes=10000-", nil])
  }

  func testAShort206IsTakenAndTheRestAskedFor() async throws {
    let (file, ranges) = try await download { _ in
      Self.response(
        206, Self.old[10_000..<12_000], ["ETag": "\"old\"", "Content-Range": "bytes 10000-11999/20000"])
    }
    XCTAssertEqual(file, Self.old)
    XCTAssertEqual(ranges, [nil, "bytes=10000-", "bytes=12000-"])
  }

  func testA206WithGzipIsDiscarded() async throws {
    let (file, ranges) = try await download { _ in
      Self.response(
        206, Self.old[10_000...],
        ["ETag": "\"old\"", "Content-Range": "bytes 10000-19999/20000", "Content-Encoding": "gzip"])
    }
    XCTAssertEqual(file, Self.new)
    XCTAssertEqual(ranges.last, .some(nil))
  }

  func testAWrongTotalIsDiscarded() async throws {
    let (file, _) = try await download { _ in
      Self.response(
        206, Self.old[10_000...], ["ETag": "\"old\"", "Content-Range": "bytes 10000-19999/30000"])
    }
    XCTAssertEqual(file, Self.new)
  }

  func testA200WithAContentRangeIsDiscarded() async throws {
    let (file, _) = try await download { _ in
      Self.response(
        200, Self.old[10_000...], ["ETag": "\"old\"", "Content-Range": "bytes 10000-19999/20000"])
    }
    XCTAssertEqual(file, Self.new)
  }

  func testAServerThatIgnoresTheRangeAndBreaksOffIsNotAskedForEver() async throws {
    let server = try ScriptedServer(
      .readRequest,
      .response { _ in Self.response(200, Self.old[..<8_000], length: 20_000, ["ETag": "\"old\""]) }, .close)
    defer { server.stop() }
    var service = TestService(
      HTTPClient(transport: DefaultTransport.shared), ServiceEnvironments(try server.url("/api")))
    service.retryPolicy = RetryPolicy(attempts: 3)
    service.retryPolicy.backoff = .constant(.milliseconds(50))
    let target = folder.appendingPathComponent("a").path
    let start = ContinuousClock.now
    // Should it never end.
    let limit = Task {
      try await Task.sleep(for: .seconds(5))
      server.stop()
    }
    defer { limit.cancel() }
    let error = await failure { try await LyingDownloads(service).file(to: .file(target)) }
    XCTAssertEqual(error?.reason, .truncatedBody)
    // The first has brought bytes; then three attempts have brought none.
    XCTAssertEqual(server.requests.count, 4)
    XCTAssertGreaterThanOrEqual(ContinuousClock.now - start, .milliseconds(100), "it waits in between")
  }
}

private final class LyingDownloads: BaseDownloadManager, DownloadManager {
  let service: TestService
  let apiName = "files"
  init(_ service: TestService) { self.service = service }
}
