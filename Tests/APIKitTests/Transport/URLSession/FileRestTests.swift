import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit

/// The rest of a file as the body of a request of URLSession: read in pieces, never mapped.
final class FileRestTests: XCTestCase {
  private lazy var path = temporaryPath()

  private func write(_ bytes: [UInt8]) throws { try Data(bytes).write(to: URL(fileURLWithPath: path)) }

  private func read(_ next: @escaping HTTPBodyStream.Source) async throws -> [UInt8] {
    var bytes: [UInt8] = []
    while let chunk = try await next() { bytes += chunk }
    return bytes
  }

  func testTheRestIsReadFromItsOffsetAndAgain() async throws {
    let content = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    try write(content)
    let stream = try FileRest.stream(path, from: 7)
    XCTAssertEqual(stream.length, 199_993)
    for _ in 0..<2 {
      let bytes = try await read(try stream.open())
      XCTAssertTrue(bytes == Array(content[7...]))
    }
    // What is appended meanwhile was not announced.
    let next = try stream.open()
    try write(content + [1, 2, 3])
    let bytes = try await read(next)
    XCTAssertEqual(bytes.count, 199_993)
  }

  func testAFileThatBecomesShorterWhileItIsSentFailsTheAttempt() async throws {
    try write([UInt8](repeating: 1, count: 200_000))
    let next = try FileRest.stream(path, from: 7).open()
    _ = try await next()
    truncate(path, 70_000)
    let error = await failure { try await self.read(next) }
    XCTAssertEqual(error?.reason, .unreadableBody)
    let missing = await failure { try FileRest.stream(self.path, from: 70_001) }
    XCTAssertEqual(missing?.reason, .unreadableBody)
  }

  #if os(Linux)
    func testAFileThatIsCutWhileURLSessionSendsItDoesNotEndTheProcess() async throws {
      let size = 24 << 20
      try write([UInt8](repeating: 1, count: size + 1))
      let (isCut, isAsked) = (Latch(), Latch())
      let server = try ScriptedServer(
        .open(isAsked), .wait(isCut), .readRequest, .write(ScriptedServer.response(200)), .close)
      defer { server.stop() }
      let transport = try URLSessionTransport()
      var request = HTTPRequest(method: .put, url: try server.url())
      request.body = .file(path: path, offset: 1)
      let ready = request
      let sending = Task { try await transport.send(HTTPExchange(ready)) }
      await waitUntil { isAsked.isOpened }
      truncate(path, 0)
      isCut.open()
      // A mapped file would end the process.
      let response = try await sending.value
      XCTAssertEqual(response.status, 200)
      XCTAssertEqual(server.requests.first?.body.count, size)
    }

    func testTheCopyIsRemovedWithTheAttempt() throws {
      try write([1, 2, 3])
      var request = HTTPRequest(method: .put, url: "https://homes.test/", body: .file(path: path, offset: 1))
      var rest = try FileRest(of: &request)
      guard case .file(let copy, offset: 0) = request.body else { return XCTFail("\(request.body)") }
      XCTAssertEqual(FileManager.default.contents(atPath: copy), Data([2, 3]))
      XCTAssertNotNil(rest)
      rest = nil
      XCTAssertFalse(PrivateFile.exists(copy))
      XCTAssertNil(try FileRest(of: &request), "it is a whole file now")
    }
  #endif
}
