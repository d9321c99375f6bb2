import Foundation
import Synchronization
import XCTest

@testable import APIKit

/// Uploads to a tus server of others, which `Scripts/oracles/tus` starts.
@MainActor final class TusOracleTests: XCTestCase {
  func testAServerOfOthersGetsEveryBodyAndOneThatBrokeOffToo() async throws {
    let environment = ProcessInfo.processInfo.environment
    guard let url = environment["APIKIT_TUS_URL"], let files = environment["APIKIT_TUS_FILES"] else {
      throw XCTSkip("Scripts/oracles/tus starts the server")
    }
    try await waitForServer(url)
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    defer { try? FileManager.default.removeItem(at: folder) }
    let content = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    let file = folder.appendingPathComponent("file").path
    try Data(content).write(to: URL(fileURLWithPath: file))
    let bodies: [HTTPBody] = [
      .bytes(content), .file(path: file), stream(content, nil), stream(content, 3_000_000),
    ]
    for (index, body) in bodies.enumerated() {
      for breaksAfter in [nil, 1] {
        let name = "\(index), \(breaksAfter.map { "breaks after \($0)" } ?? "whole")"
        let before = try Self.uploads(files)
        let manager = OracleUploads(
          TestService(
            HTTPClient(transport: OnceBreaking(after: breaksAfter)), ServiceEnvironments(try HTTPURL(url))))
        manager.options.journalFolder = folder.path + "/journals"
        manager.options.partBytes = 1_000_000
        manager.options.metadata = ["filename": "\(name).bin"]
        let response = try await manager.response(uploading: body)
        XCTAssertEqual(response.headers["Upload-Offset"], "3000000", name)
        let new = try Self.uploads(files).subtracting(before)
        XCTAssertEqual(new.count, 1, name)
        XCTAssertTrue(
          FileManager.default.contents(atPath: "\(files)/\(new.first ?? "")") == Data(content), name)
      }
    }
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
  private static func uploads(_ folder: String) throws -> Set<String> {
    Set(try FileManager.default.contentsOfDirectory(atPath: folder).filter { !$0.contains(".") })
  }
}

@MainActor private final class OracleUploads: BaseUploadManager, UploadManager {
  let service: TestService
  let apiName = "files/"
  var options = TusOptions()
  var uploadProtocol: UploadProtocol { .tus(options) }

  init(_ service: TestService) { self.service = service }

  var retryPolicy: RetryPolicy {
    var policy = RetryPolicy(attempts: 3)
    policy.backoff = .constant(.milliseconds(10))
    return policy
  }
}

/// Sends one PATCH and loses its response.
private struct OnceBreaking: AsyncHTTPTransport {
  let after: Int?
  private let count = Counter()
  init(after: Int?) { self.after = after }
  var capabilities: TransportCapabilities { DefaultTransport.shared.capabilities }

  func respond(to exchange: HTTPExchange) async throws(APIError) -> HTTPResponse {
    let response = try await DefaultTransport.shared.send(exchange)
    if exchange.request.method == .patch, count.next() == after {
      throw APIError(.transport, .connectionLost)
    }
    return response
  }
}
