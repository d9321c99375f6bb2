import APIKit
import APIKitTesting
import Foundation
import XCTest

#if SWIFT_PACKAGE
  @testable import HomesModel
#endif

/// The upload of a photo against a stub that speaks tus.
@MainActor final class PhotoUploadTests: HomesCase {
  private let photo = Data(repeating: 7, count: 600_000)
  private let version: HTTPHeaders = ["Tus-Resumable": "1.0.0"]

  override func setUp() async throws {
    try await super.setUp()
    stub.on(
      .post, "/transfers/tus",
      .status(201, headers: ["Tus-Resumable": "1.0.0", "Location": "/transfers/tus/1"]))
  }

  /// The server has so many bytes.
  private func has(_ count: Int, status: Int = 204) -> StubResponse {
    .status(status, headers: ["Tus-Resumable": "1.0.0", "Upload-Offset": "\(count)"])
  }

  func testAPhotoGoesInPartsAndTheEndIsShown() async throws {
    stub.on(.patch, "/transfers/tus/1", has(262_144), has(524_288), has(600_000))
    let upload = launch().detail(of: .make(7)).upload
    upload.send(photo)
    XCTAssertEqual(upload.state, .sending(0))
    try await until { !upload.isSending }
    XCTAssertEqual(upload.state, .sent(600_000))
    XCTAssertEqual(stub.requests.map(\.method), [.post, .patch, .patch, .patch])
    XCTAssertEqual(stub.requests[0].headers["Upload-Metadata"], "home c2FjLTc=")
  }

  func testAFailedUploadGoesOnFromWhereTheServerHasIt() async throws {
    stub.on(.patch, "/transfers/tus/1", has(262_144), .dropped, has(524_288), has(600_000))
    let upload = launch().detail(of: .make(7)).upload
    upload.send(photo)
    try await until { !upload.isSending }
    XCTAssertEqual(upload.state, .failed("The connection was lost. Try again."))
    let before = stub.requests.count
    stub.on(.head, "/transfers/tus/1", has(262_144, status: 200))
    upload.retry()
    try await until { !upload.isSending }
    XCTAssertEqual(upload.state, .sent(600_000))
    XCTAssertEqual(stub.requests.dropFirst(before).map(\.method), [.head, .patch, .patch])
  }

  func testLeavingTheScreenEndsTheUploadForNow() async throws {
    stub.on(.patch, "/transfers/tus/1", .silence)
    stub.on(.head, "/transfers/tus/1", has(0, status: 200))
    let upload = launch().detail(of: .make(7)).upload
    upload.send(photo)
    try await stub.waitForRequests(2)
    upload.pause()
    try await until { upload.state == .idle }
    stub.on(.patch, "/transfers/tus/1", has(262_144), has(524_288), has(600_000))
    upload.send(photo)
    try await until { upload.state == .sent(600_000) }
    XCTAssertEqual(stub.requests.filter { $0.method == .post }.count, 1, "it goes on")
  }

  func testGivingAnUploadUpHasTheServerForgetIt() async throws {
    stub.on(.patch, "/transfers/tus/1", .silence)
    stub.on(.delete, "/transfers/tus/1", .status(204, headers: version))
    let upload = launch().detail(of: .make(7)).upload
    upload.send(photo)
    try await stub.waitForRequests(2)
    upload.cancel()
    try await until { upload.state == .idle }
    // The screen does not wait for the server to forget.
    try await stub.waitForRequests(3)
    XCTAssertEqual(stub.requests.last?.method, .delete)
  }
}
