import APIKit
import APIKitTesting
import APIKitTransfers
@testable import TestSupport
import XCTest

/// What the class of a transfer states in a way that has no effect is told at its first use.
@MainActor final class TransferStatementTests: XCTestCase {
  private final class LostFields: BaseDownloadManager, DownloadManager {
    let service: TestService
    let apiName = "files"
    let headers = ["Accept-Language": "de"]
    init(_ service: TestService) { self.service = service }
  }

  private final class LostGate: BaseUploadManager, UploadManager {
    let service: TestService
    let apiName = "files"
    let networkGate: NetworkGate? = .refuse
    let expectsContinues = true
    init(_ service: TestService) { self.service = service }
  }

  private let stub = StubTransport(.json(someJSON))

  func testAStatementWithoutEffectRefusesTheDownload() async throws {
    let path = temporaryPath()
    let error = try XCTUnwrap(LostFields(TestService(stub)).download(to: .file(path)).refusal)
    XCTAssertEqual(error.reason, .misconfigured)
    XCTAssertTrue(error.detail.contains("LostFields.headers"), error.detail)
    XCTAssertEqual(stub.requests.count, 0)
  }

  func testStatementsWithoutEffectRefuseTheUpload() async throws {
    let error = try XCTUnwrap(LostGate(TestService(stub)).upload(.bytes([1])).refusal)
    XCTAssertEqual(error.reason, .misconfigured)
    for name in ["LostGate.networkGate", "LostGate.expectsContinues"] {
      XCTAssertTrue(error.detail.contains(name), error.detail)
    }
    XCTAssertEqual(stub.requests.count, 0)
  }
}
