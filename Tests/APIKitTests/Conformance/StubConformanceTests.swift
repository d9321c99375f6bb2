import APIKit
import APIKitTesting
import Foundation
@testable import TestSupport
import XCTest

/// What a stub has in common with a wire: limits, destinations, heads, progress, cancellation.
///
/// The rest of the suite needs a server, which a stub has none of.
final class StubConformanceTests: XCTestCase {
  private static let body = [UInt8]((0..<1000).map { UInt8(truncatingIfNeeded: $0) })
  private let stub = StubTransport(.bytes(body, headers: ["X-Kind": "film"]))
  private let request = HTTPRequest(method: .put, url: "https://stub.test/x", body: .bytes([1, 2, 3, 4]))

  func testABodyBeyondItsLimitIsRefused() async throws {
    let error = await failure {
      try await stub.send(HTTPExchange(request, destination: .memory(maximumBytes: 999)))
    }
    XCTAssertEqual(error?.reason, .responseTooLarge)
    let exact = try await stub.send(HTTPExchange(request, destination: .memory(maximumBytes: 1000)))
    XCTAssertEqual(exact.bytes, Self.body)
  }

  func testAResponseGoesToAFileAndAFailedOneLeavesNone() async throws {
    let path = temporaryPath()
    let tooLarge = await failure {
      try await stub.send(HTTPExchange(request, destination: .file(path: path, maximumBytes: 10)))
    }
    XCTAssertEqual(tooLarge?.reason, .responseTooLarge)
    XCTAssertFalse(FileManager.default.fileExists(atPath: path))
    let response = try await stub.send(HTTPExchange(request, destination: .file(path: path)))
    guard case .file(path, 1000) = response.body else { return XCTFail("\(response.body)") }
    XCTAssertEqual(FileManager.default.contents(atPath: path).map(Array.init), Self.body)
    let nowhere = await failure {
      try await stub.send(HTTPExchange(request, destination: .file(path: "/nowhere/at/all")))
    }
    XCTAssertEqual(nowhere?.reason, .fileFailed)
  }

  func testAFileIsSentAndAMissingOneIsTold() async throws {
    let path = try temporaryFile(Self.body)
    var upload = request
    upload.body = .file(path: path, offset: 990)
    _ = try await stub.send(upload)
    guard case .bytes(let sent)? = stub.requests.first?.body else { return XCTFail("no body was recorded") }
    XCTAssertEqual(sent, Array(Self.body.suffix(10)))
    upload.body = .file(path: path + "-missing")
    let error = await failure { [upload] in try await stub.send(upload) }
    XCTAssertEqual(error?.reason, .unreadableBody)
  }

  func testAResponseIsRefusedAtItsHead() async throws {
    struct Unwanted: Error {}
    var exchange = HTTPExchange(request)
    exchange.inspectHead = { status, headers in
      if status == 200, headers["x-kind"] == "film" { throw Unwanted() }
    }
    let error = await failure { [exchange] in try await stub.send(exchange) }
    XCTAssertEqual(error?.reason, .refusedAtHeaders)
    XCTAssertTrue(error?.underlying is Unwanted)
  }

  func testResponsesWithoutABodyHaveNone() async throws {
    var head = request
    head.method = .head
    head.body = .empty
    let response = try await stub.send(head)
    XCTAssertEqual(response.bytes, [])
    let none = try await StubTransport(.text("never sent", status: 204)).send(request)
    XCTAssertEqual(none.bytes, [])
  }

  func testProgressIsToldBothWays() async throws {
    let told = Record<TransferProgress>()
    var exchange = HTTPExchange(request)
    exchange.onProgress = { told.add($0) }
    _ = try await stub.send(exchange)
    XCTAssertEqual(told.all.map(\.sent), [0, 2, 4, 4, 4])
    XCTAssertEqual(told.all.map(\.received), [0, 0, 0, 500, 1000])
    XCTAssertEqual(told.all.last?.totalToReceive, 1000)
  }

  func testAStreamComesInItsChunks() async throws {
    let stub = StubTransport(.chunks([[1], [2, 3], [4]]))
    let response = try await stub.send(HTTPExchange(request, destination: .stream))
    guard case .stream(let stream) = response.body else { return XCTFail("\(response.body)") }
    var chunks: [[UInt8]] = []
    for try await chunk in stream { chunks.append(chunk) }
    XCTAssertEqual(chunks, [[1], [2, 3], [4]])
  }

  func testMetricsCountTheBytes() async throws {
    let response = try await stub.send(request)
    XCTAssertEqual(response.metrics.bytesSent, 4)
    XCTAssertEqual(response.metrics.bytesReceived, 1000)
    XCTAssertEqual(response.url, request.url)
  }

  #if os(Linux)
    func testAFullDiskIsToldAsOne() async throws {
      let path = temporaryPath()
      let limit = FileSizeLimit(8)
      let error = await failure { try await stub.send(HTTPExchange(request, destination: .file(path: path))) }
      limit.remove()
      XCTAssertEqual(error?.reason, .storageFull, error?.detail ?? "")
      XCTAssertFalse(FileManager.default.fileExists(atPath: path))
    }
  #endif
}
