import APIKitTesting
import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit

/// Options of decoding and encoding, stated by service or manager.
@MainActor final class DecodingOptionsTests: XCTestCase {
  private struct Home: Codable, Sendable, Equatable {
    var homeName: String
    var builtAt: Date?
  }

  private struct SnakeService: APIService {
    let name = "Snakes"
    let environments = ServiceEnvironments("https://snakes.test")
    let wire: WireOptions

    init(_ stub: StubTransport) {
      wire = WireOptions(
        client: HTTPClient(transport: stub), parameterEncoding: .json.keys(.snakeCase),
        decoding: RawData.DecodingOptions(keys: .snakeCase, dates: .epochSeconds))
    }
  }

  private final class HomeManager: BaseAPIManager, APIManager {
    typealias Output = Home
    let service: SnakeService
    let apiName = "home", method = HTTPMethod.post
    init(_ stub: StubTransport) { service = SnakeService(stub) }
  }

  private final class PlainHomeManager: BaseAPIManager, APIManager {
    typealias Output = Home
    let service: SnakeService
    let apiName = "home", decoding = RawData.DecodingOptions()
    init(_ stub: StubTransport) { service = SnakeService(stub) }
  }

  private let snake = StubResponse.json(#"{"home_name": "Lake", "built_at": "60"}"#)
  private let home = Home(homeName: "Lake", builtAt: Date(timeIntervalSince1970: 60))

  func testTheServicesOptionsHoldForOutputValueDecodeAndReformers() async throws {
    let manager = HomeManager(StubTransport(snake))
    let output = try await manager.value()
    let value = try await manager.value(as: Home.self)
    let response = try await manager.response()
    XCTAssertEqual(output, home)
    XCTAssertEqual(value, home)
    XCTAssertEqual(try response.decode(as: Home.self), home)
    XCTAssertEqual(response.source.decoding.keys, .snakeCase)
    XCTAssertThrowsError(try response.raw.decode(as: Home.self), "the data alone know of no service")
    let made = ReformSource(managerType: Never.self, decoding: .init(keys: .snakeCase))
    XCTAssertEqual(made.decoding.keys, .snakeCase)
  }

  func testAStoredResponseIsDecodedByItsManagersOptions() async throws {
    let stub = StubTransport(snake)
    let manager = HomeManager(stub)
    let first = try await manager.response()
    XCTAssertEqual(try first.decode(as: Home.self), home)
  }

  func testAManagersOptionsGoBeforeTheServices() async throws {
    let manager = PlainHomeManager(StubTransport(.json(#"{"homeName": "Lake"}"#), snake))
    let output = try await manager.value()
    XCTAssertEqual(output, Home(homeName: "Lake", builtAt: nil))
    let error = await failure { try await manager.value() }
    XCTAssertEqual(error?.stage, .reform)
    XCTAssertTrue(error?.detail.contains("homeName") == true, "\(String(describing: error))")
    XCTAssertEqual(error?.context.method, "GET")
    XCTAssertEqual(error?.context.apiName, "home")
    XCTAssertEqual(error?.context.status, 200)
    XCTAssertEqual(error?.context.manager, "PlainHomeManager")
  }

  func testMembersOfValuesAreSentInTheStatedCaseAndKeysOfDictionariesAreNot() async throws {
    struct Change: Encodable {
      struct Room: Encodable { var floorArea = 12 }
      var homeName = "Lake", imageURL = "a"
      var rooms = [Room()]
      var freeNames = ["keyOne": Room()]
    }
    let stub = StubTransport(snake)
    _ = try await HomeManager(stub).response(Change())
    _ = try await HomeManager(stub).response(["homeName": "as written"])
    let bodies = stub.requests.map { request in
      if case .bytes(let bytes) = request.body { String(decoding: bytes, as: UTF8.self) } else { "" }
    }
    XCTAssertEqual(
      bodies,
      [
        #"{"home_name":"Lake","image_url":"a","rooms":[{"floor_area":12}],"free_names":{"keyOne":{"floor_area":12}}}"#,
        #"{"homeName":"as written"}"#,
      ])
    XCTAssertEqual(Parameters(encoding: Change(), keys: .snakeCase).names.first, "home_name")
  }
}
