import APIKit
import APIKitSockets
import APIKitTesting
@testable import TestSupport
import XCTest

/// The parameters of what opens a stream, in the encoding of its service.
@MainActor final class OpeningParametersTests: XCTestCase {
  private struct Service: APIService {
    let name = "Styled"
    let environments = ServiceEnvironments("https://styled.example.com")
    let wire: WireOptions
  }

  private final class Events: BaseEventStreamManager, EventStreamManager {
    let service: Service
    let apiName = "events"
    let reconnection = ReconnectPolicy.never
    var method = HTTPMethod.get
    init(_ service: Service) { self.service = service }
  }

  func testParametersInTheURLHaveTheStyleOfTheService() async throws {
    for (method, query) in [(HTTPMethod.get, "towns=Suzhou,Wuxi"), (.post, nil)] {
      let stub = StubTransport(.status(204))
      let encoding = ParameterEncoding.json.queryStyle(QueryStyle(arrays: .commas))
      let events = Events(
        Service(wire: WireOptions(client: HTTPClient(transport: stub), parameterEncoding: encoding)))
      events.method = method
      events.open(["towns": ["Suzhou", "Wuxi"]])
      await waitUntil { events.state == .closed }
      let request = try XCTUnwrap(stub.requests.first)
      XCTAssertEqual(request.url.query, query)
      XCTAssertEqual(request.body.isEmpty, method == .get)
    }
  }
}
