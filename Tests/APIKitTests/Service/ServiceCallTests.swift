import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit

/// Calls of a service without a class, and a service that is known by its URL alone.
final class ServiceCallTests: XCTestCase {
  private struct Home: Decodable, Sendable, Equatable {
    let id: Int
    let leastPrice: Int
  }

  @MainActor func testEachVerbTakesThePathOfALoad() async throws {
    let stub = StubTransport(.json(#"{"id": 7, "leastPrice": 3}"#))
    var service = TestService(stub)
    service.extraHeaders = ["X-Common": "1"]
    let home = try await service.get(
      "homes/{id}", ["id": 7, "full": true], headers: ["X-Own": "2"], as: Home.self)
    XCTAssertEqual(home, Home(id: 7, leastPrice: 3))
    let raw = try await service.get("homes").raw
    XCTAssertEqual(raw["id"].int, 7)
    for send in [service.post, service.put, service.patch] {
      _ = try await send("homes/{id}", ["id": 7, "beds": 3], [:])
    }
    try await service.delete("homes/{id}", ["id": 7])
    let posted = try await service.post("homes", ["beds": 3], as: Home.self)
    let put = try await service.put("homes/{id}", ["id": 7], as: Home.self)
    let patched = try await service.patch("homes/{id}", ["id": 7], as: Home.self)
    XCTAssertEqual([posted, put, patched], [home, home, home])
    let requests = stub.requests
    XCTAssertEqual(
      requests.map { "\($0.method) \($0.url.string.dropFirst("https://homes.test/api/".count))" },
      [
        "GET homes/7?full=true", "GET homes", "POST homes/7", "PUT homes/7", "PATCH homes/7",
        "DELETE homes/7",
        "POST homes", "PUT homes/7", "PATCH homes/7",
      ])
    XCTAssertEqual(requests[0].headers["X-Common"], "1")
    XCTAssertEqual(requests[0].headers["X-Own"], "2")
    guard case .bytes(let body) = requests[2].body else { return XCTFail("\(requests[2].body)") }
    XCTAssertEqual(String(decoding: body, as: UTF8.self), #"{"beds":3}"#)
  }

  @MainActor func testValuesAreSentByTheirMembers() async throws {
    struct NewHome: Encodable { var homeName = "Lake" }
    let stub = StubTransport(.json(#"{"id": 7, "leastPrice": 3}"#))
    var service = TestService(stub)
    service.parameterEncoding = .automatic.keys(.snakeCase)
    try await service.post("homes", NewHome())
    try await service.put("homes/1", NewHome())
    try await service.patch("homes/1", NewHome())
    let made = try await service.post("homes", NewHome(), as: Home.self)
    XCTAssertEqual(made.id, 7)
    for request in stub.requests {
      guard case .bytes(let body) = request.body else { return XCTFail("\(request.body)") }
      XCTAssertEqual(String(decoding: body, as: UTF8.self), #"{"home_name":"Lake"}"#)
    }
  }

  @MainActor func testFailuresAndCancellationsAreThoseOfALoad() async throws {
    let stub = StubTransport(.json("{}", status: 500))
    stub.hold()
    var service = TestService(stub)
    service.retryPolicy = RetryPolicy(attempts: 2)
    let load = Task { try await service.get("homes") }
    try await stub.waitForRequests(1)
    load.cancel()
    let cancelled = await failure { try await load.value }
    XCTAssertEqual(cancelled?.reason, .cancelled)
    stub.release()
    let error = await failure { try await service.delete("homes/1") }
    XCTAssertEqual(error?.reason, .unacceptableStatus)
    XCTAssertEqual(error?.context.method, "DELETE")
    XCTAssertEqual(error?.context.status, 500)
  }

  @MainActor func testErrorsAndRecordsHaveMethodAndPathInPlaceOfAManager() async throws {
    let stub = StubTransport(.json("{}", status: 404), .json(#"{"id": 7}"#), .json(#"{"id": 7}"#))
    let service = TestService(stub)
    let missing = await failure { try await service.get("homes/{id}", ["id": 7]) }
    XCTAssertEqual(missing?.context.manager, "GET homes/{id}")
    XCTAssertEqual(missing?.record?.manager, "GET homes/{id}")
    let line = missing?.record.map { String(describing: $0).split(separator: "\n")[0] }
    XCTAssertEqual(line?.hasSuffix(": GET homes/{id} (\(service.name))"), true, String(line ?? ""))
    let undecodable = await failure { try await service.post("homes", ["beds": 3], as: Home.self) }
    XCTAssertEqual(undecodable?.context.manager, "POST homes")
    XCTAssertEqual(
      undecodable?.description,
      "POST homes (\(service.name)) failed in reform: leastPrice: the member leastPrice is missing; a member that "
        + "the server may omit is declared Optional; status 200")
    let parameters: Parameters = ["bad": Unsendable()]
    let refused = await failure { try await service.get("homes", parameters) }
    XCTAssertEqual(refused?.context.manager, "GET homes")
  }

  private struct Unsendable: Encodable {
    func encode(to encoder: any Encoder) throws { throw ValidationError("nothing to send") }
  }

  @MainActor func testAServiceOfAURLJoinsNamesBelowIt() async throws {
    let stub = StubTransport(.json(#"{"id": 1, "least_price": 2}"#))
    var api = URLService("https://api.example.test/v1", name: "Example")
    api.wire = WireOptions(client: HTTPClient(transport: stub), decoding: .init(keys: .snakeCase))
    let home = try await api.get("homes/{id}", ["id": 1], as: Home.self)
    XCTAssertEqual(home, Home(id: 1, leastPrice: 2))
    XCTAssertEqual(stub.requests.map(\.url.string), ["https://api.example.test/v1/homes/1"])
    XCTAssertEqual(api.name, "Example")
    XCTAssertEqual(URLService("https://api.example.test").name, "api.example.test")
  }

  func testABaseURLFromAVariableIsCheckedAndNotTrapped() throws {
    let text = "https://api.example.test/v2"
    XCTAssertEqual(try ServiceEnvironments(text)[.release], HTTPURL("https://api.example.test/v2"))
    for bad in ["", "api.example.test", "ftp//x", "https://"] {
      XCTAssertThrowsError(try ServiceEnvironments(bad), bad) {
        XCTAssertEqual(($0 as? APIError)?.reason, .invalidURL, bad)
      }
    }
  }
}
