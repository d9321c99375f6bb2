import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit
import APIKitSigning

/// The query of a load whose manager states its body itself.
@MainActor final class OwnBodyQueryTests: XCTestCase {
  func testItIsWrittenInTheStyleOfTheManager() async throws {
    let stub = StubTransport(.json("{}"))
    let manager = TestManager(stub)
    (manager.method, manager.body) = (.post, .bytes([1]))
    let style = QueryStyle(arrays: .commas, booleans: .numeric, spaces: .plus, sortsKeys: true)
    for encoding in [ParameterEncoding.automatic, .query, .json, .form] {
      manager.parameterEncoding = encoding.queryStyle(style)
      _ = try await manager.response(["z": "a b", "list": [1, 2], "new": true])
      XCTAssertEqual(stub.requests.last?.url.query, "list=1,2&new=1&z=a+b")
      XCTAssertEqual(stub.requests.last?.headers["Content-Type"], nil, "the parameters make no body")
    }
  }

  func testASignatureOverItIsAccepted() async throws {
    let style = QueryStyle(arrays: .repeated, objects: .dotted, booleans: .numeric, sortsKeys: true)
    let signer = SaltedDigestSigner(key: SecretKey("k"), salt: "s", style: style)
    let stub = StubTransport(.json("{}"))
    let manager = TestManager(stub)
    manager.service.signer = signer
    (manager.method, manager.body) = (.post, .bytes([1]))
    manager.parameterEncoding = .json.queryStyle(style)
    _ = try await manager.response(["a": [1, 2], "b": ["c": true]])
    let request = try XCTUnwrap(stub.requests.last)
    try signer.verify(request.headers["X-Signature"], apiName: "list", query: request.url.query ?? "")
  }
}
