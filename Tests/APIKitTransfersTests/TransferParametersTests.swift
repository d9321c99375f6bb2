import APIKit
import APIKitTesting
import APIKitTransfers
@testable import TestSupport
import XCTest

/// The parameters of transfers are in the path and the query, whatever the encoding of their service.
@MainActor final class TransferParametersTests: XCTestCase {
  private struct Service: APIService {
    let name = "Styled"
    let environments = ServiceEnvironments("https://styled.example.com")
    let wire: WireOptions
  }

  private final class Downloads: BaseDownloadManager, DownloadManager {
    let service: Service
    let apiName = "files/{id}"
    init(_ service: Service) { self.service = service }
  }

  func testADownloadHasNoBodyWhereLoadsOfTheServiceHaveOne() async throws {
    let path = temporaryPath()
    for encoding in [ParameterEncoding.json, .form] {
      let stub = StubTransport(.text("abc"))
      let service = Service(
        wire: WireOptions(
          client: HTTPClient(transport: stub),
          parameterEncoding: encoding.queryStyle(QueryStyle(arrays: .commas))))
      let file = try await Downloads(service).file(
        ["id": 7, "sizes": [1, 2]], to: .file(path, overwrites: true))
      XCTAssertEqual(file.count, 3)
      let request = try XCTUnwrap(stub.requests.first)
      XCTAssertEqual(request.url.string, "https://styled.example.com/files/7?sizes=1,2")
      XCTAssertTrue(request.body.isEmpty)
    }
  }
}
