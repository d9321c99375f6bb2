import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitTransfers

/// Uploads to a tus server of others, which `Scripts/oracles/tus` starts.
@MainActor final class TusOracleTests: XCTestCase {
  private static let content = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
  private lazy var folder = temporaryFolder()
  private var url = ""
  private var files = ""

  override func setUp() async throws {
    let environment = ProcessInfo.processInfo.environment
    guard let url = environment["APIKIT_TUS_URL"], let files = environment["APIKIT_TUS_FILES"] else {
      throw XCTSkip("Scripts/oracles/tus starts the server")
    }
    (self.url, self.files) = (url, files)
    try await waitForServer(url)
  }

  private func manager(
    _ transport: some HTTPTransport, _ change: (inout TusOptions) -> Void = { _ in }
  ) throws -> OracleUploads {
    let manager = OracleUploads(
      TestService(HTTPClient(transport: transport), ServiceEnvironments(try HTTPURL(url))))
    manager.options.journalFolder = folder.path + "/journals"
    manager.options.partBytes = 1_000_000
    // The server wants both when it is asked for an offset.
    manager.options.metadata = ["filename": "\(UUID()).bin", "filetype": "application/octet-stream"]
    change(&manager.options)
    return manager
  }

  /// Uploads, and looks at what the server has; the responses are those that the transport has passed on.
  private func upload(
    _ body: HTTPBody, _ transport: some HTTPTransport, _ name: String,
    _ change: (inout TusOptions) -> Void = { _ in }
  ) async throws {
    let before = try Self.uploads(files)
    let response = try await manager(transport, change).response(uploading: body)
    XCTAssertEqual(response.headers["Upload-Offset"], "3000000", name)
    let new = try Self.uploads(files).subtracting(before)
    XCTAssertEqual(new.count, 1, name)
    XCTAssertTrue(
      FileManager.default.contents(atPath: "\(files)/\(new.first ?? "")") == Data(Self.content), name)
  }

  func testAServerOfOthersGetsEveryBodyAndOneThatBrokeOffToo() async throws {
    let file = folder.appendingPathComponent("file").path
    try Data(Self.content).write(to: URL(fileURLWithPath: file))
    let bodies: [HTTPBody] = [
      .bytes(Self.content), .file(path: file), stream(Self.content, nil), stream(Self.content, 3_000_000),
    ]
    for (index, body) in bodies.enumerated() {
      for breaksAfter in [nil, 1] {
        let transport = Meddling { response, count in
          if count == breaksAfter { throw APIError(.transport, .connectionLost) }
        }
        try await upload(body, transport, "\(index), \(breaksAfter.map { "breaks after \($0)" } ?? "whole")")
      }
    }
  }

  func testTheFirstPartGoesWithTheCreation() async throws {
    try await upload(.bytes(Self.content), Meddling { _, _ in }, "with creation") {
      $0.sendsWithCreation = true
    }
  }

  func testAnotherProcessGoesOnByTheJournal() async throws {
    let lost = Meddling { _, count in if count >= 1 { throw APIError(.transport, .connectionLost) } }
    let before = try Self.uploads(files)
    let metadata = ["filename": "a.bin", "filetype": "b"]
    let first = try manager(lost) { $0.metadata = metadata }
    first.policy = .never
    let error = await failure { try await first.response(uploading: .bytes(Self.content)) }
    XCTAssertEqual(error?.reason, .connectionLost)
    let second = try manager(Meddling { _, _ in }) { $0.metadata = metadata }
    _ = try await second.response(uploading: .bytes(Self.content))
    XCTAssertEqual(try Self.uploads(files).subtracting(before).count, 1, "the same upload")
  }

  func testAServerThatForgetsIsStartedOverOnceAndReportedAfterTheLastByte() async throws {
    let (files, known) = (files, try Self.uploads(files))
    for (status, part) in [(404, 0), (410, 0), (404, 1)] {
      let isDone = Counter()
      let transport = Meddling { _, count in
        guard count == part, isDone.next() == 0 else { return }
        for name in try Self.uploads(files).subtracting(known) {
          if status == 410 {
            try Self.change("\(files)/\(name).info") { $0["expires"] = "2001-01-01T00:00:00" }
          } else {
            unlink("\(files)/\(name).info")
            unlink("\(files)/\(name)")
          }
        }
      }
      if part == 1 {
        // The third and last part is refused: all of it may be there.
        let error = await failure {
          try await self.manager(transport).response(uploading: .bytes(Self.content))
        }
        XCTAssertEqual(error?.reason, .uploadVanished)
        continue
      }
      _ = try await manager(transport).response(uploading: .bytes(Self.content))
      let whole = try Self.uploads(files).subtracting(known).filter {
        FileManager.default.contents(atPath: "\(files)/\($0)") == Data(Self.content)
      }
      XCTAssertEqual(whole.count, 1, "\(status)")
      for name in try Self.uploads(files).subtracting(known) { unlink("\(files)/\(name)") }
    }
  }

  func testAServerThatLowersItsOffsetIsFollowed() async throws {
    let files = files
    for loses in [false, true] {
      let known = try Self.uploads(files)
      let isDone = Counter()
      let transport = Meddling { _, count in
        guard count == 1, isDone.next() == 0 else { return }
        for name in try Self.uploads(files).subtracting(known) {
          truncate("\(files)/\(name)", 500_000)
          try Self.change("\(files)/\(name).info") { $0["offset"] = 500_000 }
        }
        // With the response the client goes on with a part that is refused (409); without it asks.
        if loses { throw APIError(.transport, .connectionLost) }
      }
      try await upload(.bytes(Self.content), transport, "loses the response: \(loses)")
    }
  }

  func testACancelledUploadIsForgottenByTheServer() async throws {
    let before = try Self.uploads(files)
    let isBetweenParts = Counter()
    let transport = Meddling { _, _ in
      isBetweenParts.increment()
      try await Task.sleep(for: .seconds(10))
    }
    let manager = try manager(transport)
    manager.upload(.bytes(Self.content))
    await waitUntil { isBetweenParts.value == 1 }
    XCTAssertEqual(try Self.uploads(files).subtracting(before).count, 1)
    manager.cancel()
    await waitUntil { !manager.isUploading }
    // The server may still write what it has when it is asked to forget.
    await waitUntil { (try? Self.uploads(self.files)) == before }
  }

  /// Changes the server's notes on an upload.
  private nonisolated static func change(_ path: String, _ work: (inout [String: Any]) -> Void) throws {
    let data = FileManager.default.contents(atPath: path) ?? Data()
    var notes = try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
    work(&notes)
    try JSONSerialization.data(withJSONObject: notes).write(to: URL(fileURLWithPath: path))
  }

  private func stream(_ content: [UInt8], _ length: Int64?) -> HTTPBody {
    .stream(
      HTTPBodyStream(length: length) {
        let place = Mutex(0)
        return {
          place.withLock { place in
            guard place < content.count else { return nil }
            defer { place += 700_000 }
            return Array(content[place..<min(content.count, place + 700_000)])
          }
        }
      })
  }

  private func waitForServer(_ url: String) async throws {
    for _ in 0..<200 {
      let request = HTTPRequest(method: .options, url: try HTTPURL(url + "/files"))
      if (try? await DefaultTransport.shared.send(HTTPExchange(request))) != nil { return }
      try await Task.sleep(for: .milliseconds(100))
    }
    XCTFail("the server does not respond")
  }

  /// The names of complete files: those without an ending are contents.
  private nonisolated static func uploads(_ folder: String) throws -> Set<String> {
    Set(try FileManager.default.contentsOfDirectory(atPath: folder).filter { !$0.contains(".") })
  }
}

@MainActor private final class OracleUploads: BaseUploadManager, UploadManager {
  let service: TestService
  let apiName = "files/"
  var options = TusOptions()
  var uploadProtocol: UploadProtocol { .tus(options) }

  init(_ service: TestService) { self.service = service }

  var policy: RetryPolicy?

  var retryPolicy: RetryPolicy {
    if let policy { return policy }
    var policy = RetryPolicy(attempts: 3)
    policy.backoff = .constant(.milliseconds(10))
    return policy
  }
}

/// Does something after each response to a PATCH, with its number from 0; the response is lost where that throws.
private struct Meddling: AsyncHTTPTransport {
  private let after: @Sendable (HTTPResponse, Int) async throws -> Void
  private let count = Counter()
  init(_ after: @escaping @Sendable (HTTPResponse, Int) async throws -> Void) { self.after = after }
  var capabilities: TransportCapabilities { DefaultTransport.shared.capabilities }

  func respond(to exchange: HTTPExchange) async throws(APIError) -> HTTPResponse {
    let response = try await DefaultTransport.shared.send(exchange)
    guard exchange.request.method == .patch else { return response }
    do { try await after(response, count.next()) } catch {
      throw error as? APIError ?? APIError(.transport, .connectionLost, underlying: error)
    }
    return response
  }
}
