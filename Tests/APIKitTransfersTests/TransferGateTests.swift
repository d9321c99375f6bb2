import APIKit
import APIKitTesting
import APIKitTransfers
@testable import TestSupport
import XCTest

/// A transfer's manager states what happens without a network, in place of its service.
@MainActor final class TransferGateTests: XCTestCase {
  private final class Downloads: BaseDownloadManager, DownloadManager {
    let service: TestService
    let apiName = "files"
    let networkGate = NetworkGate.refuse
    init(_ service: TestService) { self.service = service }
  }

  private final class Uploads: BaseUploadManager, UploadManager {
    let service: TestService
    let apiName = "files"
    let networkGate = NetworkGate.refuse
    init(_ service: TestService) { self.service = service }
  }

  private let stub = StubTransport(.json(someJSON))

  func testATransferIsRefusedByTheGateOfItsManager() async throws {
    let service = TestService(stub)
    service.network.force(.offline)
    let path = temporaryPath()
    let download = await failure {
      _ = try await Downloads(service).file(to: .file(path))
    }
    XCTAssertEqual(download?.reason, .noNetwork)
    let upload = await failure {
      _ = try await Uploads(service).response(uploading: .bytes([1, 2]))
    }
    XCTAssertEqual(upload?.reason, .noNetwork)
    XCTAssertEqual(stub.requests.count, 0)
    XCTAssertEqual(service.networkGate, .fly, "the service's own would have let it through")
  }

  func testATransferThatIsRefusedHasNoFallback() async throws {
    var service = TestService(stub)
    service.network.force(.offline)
    service.onFallback = { _ in APIResponse(raw: .missing, http: HTTPResponse(status: 201)) }
    let path = temporaryPath()
    let download = await failure { [service] in
      _ = try await Downloads(service).file(to: .file(path))
    }
    XCTAssertEqual(download?.reason, .noNetwork)
    let upload = await failure { [service] in
      _ = try await Uploads(service).response(uploading: .bytes([1, 2]))
    }
    XCTAssertEqual(upload?.reason, .noNetwork, "nothing was uploaded")
    XCTAssertEqual(stub.requests.count, 0)
  }
}
