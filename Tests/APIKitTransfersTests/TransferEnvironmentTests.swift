import APIKitTesting
import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitTransfers

/// A transfer keeps the environment in which it began, whatever is in use when it sends another request.
@MainActor final class TransferEnvironmentTests: UploadCase {
  private let environments = ServiceEnvironments("https://homes.test")

  private func use(_ first: ScriptedServer, _ second: ScriptedServer) throws -> TestService {
    environments[.release] = try first.url("/api")
    environments[.development] = try second.url("/api")
    var service = TestService(HTTPClient(transport: DefaultTransport.shared), environments)
    service.retryPolicy = RetryPolicy(attempts: 3)
    service.retryPolicy.backoff = .constant(.zero)
    return service
  }

  /// A server of a file of 1000 times this byte, which switches the environment and breaks off after 300 of them.
  private func fileServer(_ byte: UInt8) throws -> ScriptedServer {
    let (environments, content) = (environments, [UInt8](repeating: byte, count: 1000))
    return try ScriptedServer(
      .readRequest,
      .response { request in
        environments.current = .development
        guard request.headers["Range"] != nil else {
          return Array("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\nETag: \"a\"\r\n\r\n".utf8)
            + content[..<300]
        }
        let head =
          "HTTP/1.1 206 Partial\r\nContent-Range: bytes 300-999/1000\r\nContent-Length: 700\r\nETag: \"a\"\r\n\r\n"
        return Array(head.utf8) + content[300...]
      }, .close)
  }

  func testADownloadIsResumedAtTheServerWhereItBegan() async throws {
    let (first, second) = (try fileServer(1), try fileServer(2))
    defer { for server in [first, second] { server.stop() } }
    let manager = FileDownloads(try use(first, second))
    _ = try await manager.file(to: .file(path("a")))
    XCTAssertEqual(FileManager.default.contents(atPath: path("a")), Data(repeating: 1, count: 1000))
    XCTAssertEqual(first.requests.map { $0.headers["Range"] }, [nil, "bytes=300-"])
    XCTAssertEqual(second.requests.count, 0)
  }

  private func uploadServer() throws -> ScriptedServer {
    let (environments, failures) = (environments, Counter())
    return try .serving { request in
      environments.current = .development
      switch request.method {
      case "POST" where failures.next() == 0: return ScriptedServer.response(503)
      case "POST": return ScriptedServer.response(201, ["Location": "/api/files/7"])
      default: return ScriptedServer.response(204, ["Upload-Offset": "\(request.body.count)"])
      }
    }
  }

  func testAnUploadInPartsStaysAtTheServerWhereItBegan() async throws {
    let (first, second) = (try uploadServer(), try uploadServer())
    defer { for server in [first, second] { server.stop() } }
    let manager = SendingManager(try use(first, second))
    var options = TusOptions()
    options.journalFolder = path("journals")
    manager.uploadProtocol = .tus(options)
    manager.policy = manager.service.retryPolicy
    manager.policy?.idempotencyKeyField = "Idempotency-Key"
    _ = try await manager.response(uploading: .bytes([1, 2, 3]))
    XCTAssertEqual(first.requests.map(\.method), ["POST", "POST", "PATCH"])
    XCTAssertEqual(second.requests.count, 0)
  }
}

@MainActor private final class FileDownloads: BaseDownloadManager, DownloadManager {
  let service: TestService
  let apiName = "files"
  init(_ service: TestService) { self.service = service }
}
