import XCTest

@testable import APIKit
@testable import APIKitTransfers

/// What each response means for an upload by tus, without files and sockets.
final class TusMachineTests: XCTestCase {
  private func machine(
    _ state: UploadState = UploadState(), total: Int64? = 100, change: (inout TusOptions) -> Void = { _ in }
  ) -> TusMachine {
    var options = TusOptions()
    change(&options)
    return TusMachine(state, total: total, options: options, metadata: [("filename", "a b.txt")])
  }

  /// A machine whose upload is at `/files/1`, about to send from the start.
  private func created() -> TusMachine {
    var machine = machine()
    _ = machine.begin()
    _ = machine.responded(201, [:], location: "/files/1")
    return machine
  }

  private func request(_ action: UploadAction) -> UploadRequest? {
    switch action {
    case .send(let request), .wait(_, let request): request
    default: nil
    }
  }

  func testAnUploadIsCreatedAndSentFromItsStart() throws {
    var machine = machine()
    let creation = try XCTUnwrap(request(machine.begin()))
    XCTAssertEqual(creation.method, .post)
    XCTAssertNil(creation.location)
    XCTAssertEqual(creation.headers["Tus-Resumable"], "1.0.0")
    XCTAssertEqual(creation.headers["Upload-Length"], "100")
    XCTAssertEqual(creation.headers["Upload-Metadata"], "filename YSBiLnR4dA==")
    XCTAssertNil(creation.offset, "its place is kept before the first byte")
    let action = machine.responded(201, [:], location: "/files/1")
    XCTAssertEqual(machine.state.location, "/files/1")
    let part = try XCTUnwrap(request(action))
    XCTAssertEqual(part.method, .patch)
    XCTAssertEqual(part.location, "/files/1")
    XCTAssertEqual(part.offset, 0)
    XCTAssertEqual(part.headers["Upload-Offset"], "0")
    XCTAssertEqual(part.headers["Content-Type"], "application/offset+octet-stream")
    XCTAssertEqual(machine.read(60, isLast: false), [:])
    let next = machine.responded(204, ["Upload-Offset": "60"], location: nil)
    XCTAssertEqual(request(next)?.offset, 60)
    XCTAssertEqual(machine.read(40, isLast: true), [:])
    XCTAssertTrue(machine.state.hasSentAll)
    XCTAssertEqual(machine.responded(204, ["Upload-Offset": "100"], location: nil), .finish)
  }

  func testOneThatIsKnownIsAskedForItsOffsetFirst() {
    var machine = machine(UploadState(location: "/files/1", offset: 40))
    XCTAssertEqual(
      machine.begin(),
      .send(UploadRequest(method: .head, location: "/files/1", headers: ["Tus-Resumable": "1.0.0"])))
    XCTAssertEqual(request(machine.responded(200, ["Upload-Offset": "30"], location: nil))?.offset, 30)
    var complete = self.machine(UploadState(location: "/files/1", offset: 40))
    _ = complete.begin()
    XCTAssertEqual(complete.responded(200, ["Upload-Offset": "100"], location: nil), .finish)
    var other = self.machine(UploadState(location: "/files/1", offset: 40))
    _ = other.begin()
    let action = other.responded(200, ["Upload-Offset": "40", "Upload-Length": "99"], location: nil)
    XCTAssertEqual(request(action)?.method, .post, "it is another file")
  }

  func testAConflictALockAndADamagedPartAskTheServerAgain() {
    for status in [409, 423, 460] {
      var machine = created()
      _ = machine.read(100, isLast: true)
      guard case .wait(1, let next) = machine.responded(status, [:], location: nil) else {
        return XCTFail("\(status)")
      }
      XCTAssertEqual(next.method, .head)
    }
  }

  func testADamagedLastPartIsNoneThatTheServerMayHave() {
    // Forgotten, it is sent once more: no second one can come of it.
    var forgotten = created()
    _ = forgotten.read(100, isLast: true)
    forgotten.left(nil, .responseBegan)
    _ = forgotten.responded(460, [:], location: nil)
    XCTAssertFalse(forgotten.state.hasSentAll)
    XCTAssertEqual(request(forgotten.responded(404, [:], location: nil))?.method, .post)
    // A server that counts the damaged part as received has different bytes than the file.
    var kept = created()
    _ = kept.read(100, isLast: true)
    _ = kept.responded(460, [:], location: nil)
    guard
      case .fail(.malformedResponse, _, false) = kept.responded(200, ["Upload-Offset": "100"], location: nil)
    else { return XCTFail("the upload has succeeded with damaged bytes") }
    // Unless an earlier request had brought everything.
    var earlier = created()
    _ = earlier.read(100, isLast: true)
    _ = earlier.broke()
    _ = earlier.responded(200, ["Upload-Offset": "0"], location: nil)
    _ = earlier.read(100, isLast: true)
    _ = earlier.responded(460, [:], location: nil)
    XCTAssertEqual(earlier.responded(200, ["Upload-Offset": "100"], location: nil), .finish)
  }

  func testACreationWhosePartArrivedDamagedIsRepeated() throws {
    var machine = machine(UploadState())
    _ = machine.begin()
    _ = machine.read(100, isLast: true)
    guard case .wait(1, let next) = machine.responded(460, [:], location: nil) else {
      return XCTFail("it is not repeated")
    }
    XCTAssertEqual(next.method, .post)
    XCTAssertFalse(machine.state.hasSentAll)
  }

  func testAServerThatForgetsIsStartedOverOnce() {
    for status in [403, 404, 410] {
      var machine = created()
      _ = machine.read(60, isLast: false)
      XCTAssertEqual(request(machine.responded(status, [:], location: nil))?.method, .post)
      XCTAssertNil(machine.state.location)
      _ = machine.responded(201, [:], location: "/files/2")
      _ = machine.read(60, isLast: false)
      guard case .fail(.unacceptableStatus, _, false) = machine.responded(status, [:], location: nil) else {
        return XCTFail("\(status)")
      }
    }
  }

  func testAServerThatForgetsAfterTheLastByteIsReported() {
    var machine = created()
    _ = machine.read(100, isLast: true)
    guard case .fail(.uploadVanished, _, false) = machine.responded(404, [:], location: nil) else {
      return XCTFail("the server may have taken all of it")
    }
    // Also where the process ended in between.
    var later = self.machine(UploadState(location: "/files/1", total: 100, hasSentAll: true))
    _ = later.begin()
    guard case .fail(.uploadVanished, _, false) = later.responded(404, [:], location: nil) else {
      return XCTFail("the server may have taken all of it")
    }
  }

  func testWhetherTheLastByteWasSentIsKnownFromWhatHasLeft() {
    for (progress, sent, isSent) in [
      (.unsent, nil, false), (.partlySent, nil, false), (.sent, nil, true), (nil, nil, true),
      (.responseBegan, 99, false), (.responseBegan, 100, true),
    ] as [(RequestProgress?, Int64?, Bool)] {
      var machine = created()
      _ = machine.read(100, isLast: true)
      XCTAssertTrue(machine.state.hasSentAll, "should the process end while it is under way")
      machine.left(sent, progress)
      XCTAssertEqual(machine.state.hasSentAll, isSent)
      let action = machine.responded(404, [:], location: nil)
      if isSent {
        guard case .fail(.uploadVanished, _, false) = action else { return XCTFail("it may be complete") }
      } else {
        XCTAssertEqual(request(action)?.method, .post)
      }
    }
  }

  func testAServerThatHasLessThanItSaidIsFollowedButNotForEver() {
    var machine = created()
    _ = machine.read(60, isLast: false)
    _ = machine.responded(204, ["Upload-Offset": "60"], location: nil)
    var count = 0
    while true {
      _ = machine.read(40, isLast: true)
      let action = machine.responded(204, ["Upload-Offset": "20"], location: nil)
      if case .fail(.truncatedBody, _, true) = action { break }
      XCTAssertEqual(request(action)?.offset, 20)
      count += 1
      guard count < 100 else { return XCTFail("it never ends") }
    }
    XCTAssertEqual(count, TusMachine.maximumStalls)
    var lying = created()
    _ = lying.read(100, isLast: true)
    guard
      case .fail(.malformedResponse, _, false) = lying.responded(204, ["Upload-Offset": "101"], location: nil)
    else { return XCTFail("it has more than there is") }
  }

  func testALengthThatIsNotKnownIsSaidWithTheLastPart() {
    var machine = machine(total: nil)
    XCTAssertEqual(request(machine.begin())?.headers["Upload-Defer-Length"], "1")
    _ = machine.responded(201, [:], location: "/files/1")
    XCTAssertEqual(machine.read(60, isLast: false), [:])
    _ = machine.responded(204, ["Upload-Offset": "60"], location: nil)
    XCTAssertEqual(machine.read(7, isLast: true), ["Upload-Length": "67"])
    XCTAssertEqual(machine.responded(204, ["Upload-Offset": "67"], location: nil), .finish)
  }

  func testCreationWithUploadChecksumAndTermination() {
    var machine = machine { options in
      options.sendsWithCreation = true
      options.sendsChecksums = true
    }
    XCTAssertNil(machine.termination())
    XCTAssertEqual(request(machine.begin())?.offset, 0)
    _ = machine.read(100, isLast: true)
    XCTAssertEqual(
      machine.checksum(of: Array("hello world".utf8)),
      ["Upload-Checksum": "sha1 Kq5sNclPz7QV2+lfQIuc6R7oRu0="])
    XCTAssertEqual(machine.responded(201, ["Upload-Offset": "100"], location: "/files/1"), .finish)
    XCTAssertEqual(machine.termination()?.method, .delete)
    XCTAssertEqual(machine.termination()?.location, "/files/1")
  }

  func testAnotherVersionFailsByName() {
    var machine = created()
    guard
      case .fail(.unacceptableStatus, let why, true) = machine.responded(
        412, ["Tus-Version": "2.0.0"], location: nil)
    else { return XCTFail("it does not fail") }
    XCTAssertTrue(why.contains("2.0.0"), why)
    var refused = created()
    guard case .fail(.unacceptableStatus, _, false) = refused.responded(413, [:], location: nil) else {
      return XCTFail("413 is not repeated")
    }
  }
}
