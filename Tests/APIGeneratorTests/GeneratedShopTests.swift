import APIKitPaging
import APIGenerator
import APIKit
import APIKitOAuth
import APIKitTesting
import APIKitTransfers
import GeneratedShop
import XCTest

/// The classes of `--bases`, which another module makes managers of; what they state and read, over a stub.
@MainActor final class GeneratedShopTests: XCTestCase {
  private final class ListOrdersManager: BaseListOrdersManager, PageableAPIManager, ShopManager {
    let retryPolicy = RetryPolicy.standard
  }
  private final class PlaceOrderManager: BasePlaceOrderManager, ShopManager {}
  private final class CancelOrderManager: BaseCancelOrderManager, ShopManager {}
  private final class SendPictureManager: BaseSendPictureManager, UploadManager {}
  private final class ReadStateManager: BaseReadStateManager, APIManager {}

  /// A manager of the user's own, whose output can be read in both ways.
  private final class ReadJobManager: BaseAPIManager, ShopManager {
    struct Input: Encodable, Sendable { var id = 1 }
    struct Output: RawDecodable, Decodable, Sendable {
      var way = "Decodable"
      init(_ raw: borrowing RawData) throws { way = "RawDecodable" }
    }
    let service = Shop.shared, apiName = "jobs/{id}"
  }

  private func stub(_ responses: (Int, String)...) -> StubTransport {
    let stub = StubTransport()
    for (status, body) in responses {
      stub.on("/v1/*", body.isEmpty ? .status(status) : .json(body, status: status))
    }
    Shop.use(stub)
    return stub
  }

  func testTheSourcesAreThoseOfTheDocument() async {
    let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let outcome = CommandLineTool.run(["--check", "--into", "Tests/GeneratedShop"], in: package.path)
    XCTAssertEqual(
      outcome.status, 0,
      "\(outcome.text)\(outcome.errors)swift run apikit-generate --into Tests/GeneratedShop writes them anew")
  }

  func testTheServiceHasTheClientOfItsAuthorizationServer() throws {
    let oauth = OAuthClient(Shop.authorizationCodeConfiguration(clientID: "app"), client: .shared)
    let page = try oauth.authorization(redirectURI: "shop:/signed-in").url.string
    XCTAssertTrue(page.hasPrefix("https://id.shop.example/authorize?"), page)
    XCTAssertTrue(page.contains("scope=orders"), page)
  }

  func testTheOutputIsThatOfTheStatus() async throws {
    let wish = BasePlaceOrderManager.Input(title: "Lamp", count: 2)
    let made = stub((200, #"{"id": 7, "title": "Lamp", "kind": "used", "whole": {"id": 1, "title": "Set"}}"#))
    guard case .ok(let order) = try await PlaceOrderManager().value(wish) else { return XCTFail("no order") }
    XCTAssertEqual(order.id, 7)
    XCTAssertEqual(order.kind, .used)
    XCTAssertEqual(order.whole?.value.title, "Set")
    XCTAssertEqual(made.requests.first?.method, .post)
    XCTAssertEqual(made.requests.first?.url.string, "https://shop.example/v1/orders")

    _ = stub((202, #"{"eta": 2.5, "notes": {"a": "b"}}"#))
    guard case .accepted(let job) = try await PlaceOrderManager().value(wish) else {
      return XCTFail("no job")
    }
    XCTAssertEqual(job.eta, 2.5)
    XCTAssertEqual(job.notes, ["a": "b"])

    _ = stub((204, ""))
    guard case .noContent = try await PlaceOrderManager().value(wish) else { return XCTFail("content") }
  }

  func testMembersAreReadOrAreNilOrFailWithTheirPath() async throws {
    _ = stub(
      (
        200,
        #"[{"id": 1, "title": "a", "tags": ["x"], "counts": {"n": 2}, "state": {"eta": 3}, "placed_at": "2026-01-02T03:04:05Z"}, {"id": 2, "title": "b", "tags": null}]"#
      ))
    let orders = try await ListOrdersManager().value(.init())
    XCTAssertEqual(orders[0].tags, ["x"])
    XCTAssertEqual(orders[0].counts, ["n": 2])
    XCTAssertEqual(try orders[0].state?.asJob().eta, 3)
    XCTAssertEqual(orders[0].placedAt?.timeIntervalSince1970, 1_767_323_045)
    XCTAssertNil(orders[1].tags)
    XCTAssertNil(orders[1].counts)
    XCTAssertNil(orders[1].state)
    XCTAssertNil(orders[1].kind)
    for (body, detail) in [
      (#"[{"id": 1, "title": "a", "tags": [1]}]"#, "[0].tags[0]: expected a string, found a number"),
      (#"[{"id": 1, "title": "a", "kind": 1}]"#, "[0].kind: expected a string of OrderKind, found a number"),
      (#"[{"id": 1}]"#, "[0].title: expected a string, found nothing"),
      (#"[7]"#, "[0]: expected an object, found a number"),
    ] {
      _ = stub((200, body))
      do {
        _ = try await ListOrdersManager().value(.init())
        XCTFail("\(body) is read")
      } catch {
        XCTAssertEqual(error.detail, detail)
      }
    }
  }

  func testAStatusOfNoCaseAndABodyOfAnotherFail() async {
    _ = stub((201, #"{"id": 7, "title": "Lamp"}"#))
    do {
      _ = try await PlaceOrderManager().value(.init(title: "Lamp"))
      XCTFail("201 has no case")
    } catch {
      XCTAssertEqual(error.reason, .unacceptableStatus)
      XCTAssertTrue("\(error)".contains("no output has the status 201"), "\(error)")
    }
    _ = stub((202, #"{"id": 7, "title": "Lamp"}"#))
    do {
      _ = try await PlaceOrderManager().value(.init(title: "Lamp"))
      XCTFail("this is no job")
    } catch {
      XCTAssertEqual(error.reason, .unexpectedValue)
      XCTAssertEqual(error.context.status, 202)
    }
  }

  func testARangeOfStatusesFollowsTheOnesThatAreNamed() async throws {
    _ = stub((200, #"["open", "dry"]"#))
    guard case .ok(let words) = try await ReadStateManager().value() else { return XCTFail("no words") }
    XCTAssertEqual(words, ["open", "dry"])
    _ = stub((203, #"{"eta": 1}"#))
    guard case .success(let job) = try await ReadStateManager().value([:]) else { return XCTFail("no job") }
    XCTAssertEqual(job.eta, 1)
  }

  func testASubclassInAnotherModuleHasTheStatementsOfItsBase() async throws {
    let stub = stub((200, #"[{"id": 1, "title": "Lamp", "parts": [{"id": 2, "title": "Bulb"}]}]"#))
    let orders = try await ListOrdersManager().value(.init(perPage: 3))
    XCTAssertEqual(orders.first?.parts?.first?.title, "Bulb")
    stub.on("/v1/*", .status(204))
    _ = try await CancelOrderManager().value(.init(id: 4))
    _ = try await SendPictureManager().response(
      uploading: HTTPBody.bytes([1, 2, 3]),
      Parameters(encoding: BaseSendPictureManager.Input(id: 4, sizes: [1, 2])))
    XCTAssertEqual(
      stub.requests.map { "\($0.method) \($0.url.string)" },
      [
        "GET https://shop.example/v1/orders?per_page=3", "DELETE https://shop.example/v1/orders/4",
        "PUT https://shop.example/v1/orders/4/picture?sizes=1%2C2",
      ])
    XCTAssertEqual(stub.requests.last?.headers["Content-Type"], "image/png")
    // An upload cannot repeat a name; the report says so.
    let report = URL(fileURLWithPath: #filePath).appendingPathComponent("../../GeneratedShop/REPORT.md")
      .standardized
    let text = try String(contentsOf: report, encoding: .utf8)
    XCTAssertTrue(text.contains(#"the query parameter "labels" of an upload is left out"#), text)
  }

  func testAnOutputThatIsReadInBothWaysIsReadByTheFasterOne() async throws {
    _ = stub((200, #"{"eta": 1}"#))
    let output = try await ReadJobManager().value(.init())
    XCTAssertEqual(output.way, "RawDecodable")
  }

  func testAFailureOfTheDocumentIsRead() async {
    _ = stub((409, #"{"reason": "sold out"}"#))
    do {
      _ = try await PlaceOrderManager().value(.init(title: "Lamp"))
      XCTFail("409 is a failure")
    } catch {
      XCTAssertEqual(error.shopRefusal?.reason, "sold out")
    }
  }
}
