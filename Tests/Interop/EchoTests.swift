import APIKit
import Foundation
import TestServers
import XCTest

/// What is sent arrives: httpbin and nginx say what they received.
class EchoTests: InteropCase {
  func testEachMethodArrivesWithItsBody() async throws {
    let httpbin = try httpbin()
    for method in [HTTPMethod.get, .post, .put, .patch, .delete] {
      let response = try await send(method, httpbin.url("/anything")) { request in
        guard method != .get else { return }
        request.headers["Content-Type"] = "text/plain"
        request.body = .bytes(Array("take off".utf8))
      }
      XCTAssertEqual(response.status, 200, method.rawValue)
      let echo = try response.json
      XCTAssertEqual(echo["method"].string, method.rawValue)
      XCTAssertEqual(echo["data"].string, method == .get ? "" : "take off", method.rawValue)
    }
  }

  func testHEADHasHeadersAndNoBody() async throws {
    let response = try await send(.head, nginx().url("/files/megabyte.bin"))
    XCTAssertEqual(response.status, 200)
    XCTAssertEqual(response.headers["Content-Length"], "1048576")
    XCTAssertEqual(response.bytes, [])
  }

  func testOPTIONSNamesTheMethods() async throws {
    let response = try await send(.options, httpbin().url("/get"))
    XCTAssertTrue(response.headers["Allow"]?.contains("GET") == true, "\(response.headers)")
  }

  func testAMethodOfTheCallersOwnArrives() async throws {
    let response = try await send("PURGE", nginx().url("/echo"))
    XCTAssertEqual(try response.json["method"].string, "PURGE")
  }

  func testHeaderFieldsArriveAsWritten() async throws {
    let response = try await send(.get, httpbin().url("/headers")) { request in
      request.headers["X-Gate"] = "B 12; late=\"no\""
      request.headers["X-Empty"] = ""
      request.headers["User-Agent"] = "interop/1.0"
      request.headers["Accept"] = "application/json"
    }
    let headers = try response.json["headers"]
    XCTAssertEqual(headers["X-Gate"].string, "B 12; late=\"no\"")
    XCTAssertEqual(headers["User-Agent"].string, "interop/1.0")
    XCTAssertEqual(headers["Accept"].string, "application/json")
  }

  func testAQueryArrivesAsItWasMeant() async throws {
    let parameters: Parameters = ["city": "苏州 & Suzhou", "plus": "a+b=c", "empty": "", "tag": ["x", "y/z?"]]
    let response = try await send(.get, httpbin().url("/get")) { request in
      var encoding = ParameterEncoding.query
      encoding.queryStyle.arrays = .repeated
      try encoding.apply(parameters, to: &request)
    }
    let arguments = try response.json["args"]
    XCTAssertEqual(arguments["city"].string, "苏州 & Suzhou")
    XCTAssertEqual(arguments["plus"].string, "a+b=c")
    XCTAssertEqual(arguments["empty"].string, "")
    XCTAssertEqual(arguments["tag"][1].string, "y/z?")
  }

  func testAFormArrivesAsItWasMeant() async throws {
    let response = try await send(.post, httpbin().url("/post")) { request in
      try ParameterEncoding.form.apply(["name": "Anna & Co", "sum": "1+1=2", "city": "苏州"], to: &request)
    }
    let form = try response.json["form"]
    XCTAssertEqual(form["name"].string, "Anna & Co")
    XCTAssertEqual(form["sum"].string, "1+1=2")
    XCTAssertEqual(form["city"].string, "苏州")
  }

  func testJSONArrivesAsItWasMeant() async throws {
    let parameters: Parameters = [
      "name": "a \"quoted\" \\ name\n", "count": 9_007_199_254_740_993, "price": 1.5, "sold": false,
      "none": ParameterValue.null,
      "nested": Parameters(["list": [1, "two", [3]] as ParameterValue]),
    ]
    let response = try await send(.post, httpbin().url("/post")) { request in
      try ParameterEncoding.json.apply(parameters, to: &request)
    }
    let echo = try response.json
    XCTAssertEqual(echo["headers"]["Content-Type"].string, "application/json")
    let json = echo["json"]
    XCTAssertEqual(json["name"].string, "a \"quoted\" \\ name\n")
    XCTAssertEqual(json["count"].int, 9_007_199_254_740_993)
    XCTAssertEqual(json["price"].double, 1.5)
    XCTAssertEqual(json["sold"].bool, false)
    XCTAssertEqual(json["nested"]["list"][2][0].int, 3)
  }

  func testAFileArrivesWhole() async throws {
    let source = try nginx().files.appendingPathComponent("megabyte.bin")
    try await roundTrip(
      .file(path: source.path), needs: .fileUpload, name: "file", expected: Data(contentsOf: source))
  }

  func testAStreamArrivesWhole() async throws {
    let bytes = (0..<300_000).map { UInt8($0 % 249) }
    let stream = HTTPBodyStream {
      let rest = ChunkQueue(bytes, size: 70_000)
      return { rest.next() }
    }
    try await roundTrip(.stream(stream), needs: .streamUpload, name: "stream", expected: Data(bytes))
  }

  /// Stores a body in nginx and reads it back; a transport that cannot send it must say so.
  private func roundTrip(
    _ body: HTTPBody, needs capability: TransportCapabilities, name: String, expected: Data
  ) async throws {
    let address = try nginx().url("/put/\(name)-\(type(of: self)).bin")
    guard try transport.get().capabilities.contains(capability) else {
      let error = try await failure(.put, address) { $0.body = body }
      return XCTAssertEqual(error.reason, .unsupportedCapability)
    }
    let stored = try await send(.put, address) { $0.body = body }
    XCTAssertTrue([201, 204].contains(stored.status), "\(stored.status)")
    let back = try await send(.get, address.replacing("/put/", with: "/files/put/"))
    XCTAssertTrue(back.bytes == Array(expected), "\(back.bytes.count) bytes came back")
  }
}

/// Hands out a body piece by piece.
private final class ChunkQueue: Sendable {
  private let rest: Mutex<ArraySlice<UInt8>>
  private let size: Int

  init(_ bytes: [UInt8], size: Int) {
    self.rest = Mutex(bytes[...])
    self.size = size
  }

  func next() -> [UInt8]? {
    rest.withLock { rest in
      guard !rest.isEmpty else { return nil }
      defer { rest = rest.dropFirst(size) }
      return Array(rest.prefix(size))
    }
  }
}
