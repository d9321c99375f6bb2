import APIKitTesting
import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitTransfers

/// Many loads that an outbox keeps by one call: each is what it would be alone.
@MainActor final class OutboxSeriesTests: OutboxCase {
  private func outbox(of manager: EachNoteManager) -> Outbox {
    let outbox = outbox()
    outbox.register(EachNoteManager.self) { [service] in EachNoteManager(service) }
    return outbox
  }

  func testWhatAManagerStatesOfEachLoadIsAskedForEach() async throws {
    let manager = EachNoteManager(service)
    let outbox = outbox(of: manager)
    manager.bodies = [
      nil, .bytes([1, 2]), .bytes([UInt8](repeating: 3, count: 70_000)),
      .stream(
        HTTPBodyStream(length: nil, isReplayable: false, contentType: "text/special") {
          // A source is never called concurrently.
          nonisolated(unsafe) var isOver = false
          return {
            defer { isOver = true }
            return isOver ? nil : [7]
          }
        }),
      nil,
    ]
    try await outbox.enqueue(manager, each: (0..<5).map { ["number": $0] })
    let items = try await outbox.items()
    XCTAssertEqual(items.map(\.parameters), (0..<5).map { ["number": $0, "reformed": true] })
    XCTAssertEqual(Set(items.map(\.idempotencyKey)).count, 5)
    outbox.start()
    try await turn { try await outbox.items().isEmpty }
    XCTAssertEqual(stub.requests.map { $0.headers["X-Note"] }, (0..<5).map { "note \($0)" })
    let sent = stub.requests.map { request -> [UInt8] in
      switch request.body {
      case .bytes(let bytes): bytes
      case .file: [UInt8(request.headers["Content-Type"] == "text/special" ? 7 : 3)]
      default: []
      }
    }
    XCTAssertEqual(sent[1], [1, 2])
    XCTAssertEqual(sent[2].first, 3)
    XCTAssertEqual(sent[3], [7])
    XCTAssertEqual(stub.requests.map { $0.headers["Content-Type"] == "text/special" }.filter { $0 }.count, 1)
    XCTAssertEqual(String(decoding: sent[4], as: UTF8.self), #"{"number":4,"reformed":true}"#)
    XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: folder + "/spool"), [])
  }

  func testOneThatIsRefusedHasNoneKept() async throws {
    let manager = EachNoteManager(service)
    let outbox = outbox(of: manager)
    let error = await failure { try await outbox.enqueue(manager, each: [["number": 1], ["number": -1]]) }
    XCTAssertEqual(error?.reason, .invalidParameters)
    XCTAssertEqual(error?.context.apiName, "notes")
    XCTAssertEqual(error?.context.manager, "EachNoteManager")
    let items = try await outbox.items()
    XCTAssertEqual(items, [])
    let none = try await outbox.enqueue(manager, each: [])
    XCTAssertEqual(none, [])
  }

  func testItsHeaderFieldsAreKeptWithoutSecrets() async throws {
    let manager = EachNoteManager(service)
    let outbox = outbox(of: manager)
    manager.secret = "canary"
    try await outbox.enqueue(manager, each: [["number": 1], ["number": 2]])
    for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
      let bytes = FileManager.default.contents(atPath: "\(folder)/\(name)") ?? Data()
      XCTAssertNil(bytes.range(of: Data("canary".utf8)), name)
    }
  }
}

/// States something else for each load, after its parameters.
private final class EachNoteManager: BaseAPIManager, APIManager {
  let service: TestService
  let method = HTTPMethod.post
  let isQueued = true
  let apiName = "notes"
  var bodies: [HTTPBody?] = []
  var secret: String?
  private var number = 0

  init(_ service: TestService) { self.service = service }

  var headers: HTTPHeaders {
    var headers: HTTPHeaders = ["X-Note": "note \(number)"]
    headers["Authorization"] = secret
    return headers
  }

  func reformParameters(_ parameters: Parameters) throws -> Parameters {
    if case .integer(let number)? = parameters["number"] { self.number = number }
    return parameters.merging(["reformed": true])
  }

  func validate(parameters: Parameters) throws {
    guard number >= 0 else { throw ValidationError("a number is not negative") }
  }

  func body(for parameters: Parameters) throws -> HTTPBody? {
    bodies.indices.contains(number) ? bodies[number] : nil
  }
}
