import XCTest

@testable import APIKit
@testable import APIKitTransfers

/// What each response means for a download, without files and sockets.
final class DownloadMachineTests: XCTestCase {
  private static let dates: [(String, String)] = [
    ("Last-Modified", "Sat, 21 Nov 2026 10:20:00 GMT"), ("Date", "Sat, 21 Nov 2026 10:20:01 GMT"),
  ]

  private func headers(_ fields: [(String, String)]) -> HTTPHeaders {
    var headers = HTTPHeaders()
    for (name, value) in fields { headers.add(name, value) }
    return headers
  }

  /// A machine that has 40 of 100 bytes of `"a"`.
  private func begun(_ fields: [(String, String)] = [("ETag", "\"a\"")]) -> DownloadMachine {
    var machine = DownloadMachine()
    XCTAssertEqual(machine.responded(200, headers([("Content-Length", "100")] + fields)), .take(from: 0))
    XCTAssertNil(machine.took(40))
    return machine
  }

  private func part(_ range: String, _ fields: [(String, String)] = [("ETag", "\"a\"")]) -> HTTPHeaders {
    headers([("Content-Range", range)] + fields)
  }

  private func fails(_ action: DownloadMachine.Action, keepsPartial: Bool) -> Bool {
    if case .fail(_, _, keepsPartial) = action { true } else { false }
  }

  func testAWholeFileIsTakenFromItsStartToItsLength() {
    var machine = DownloadMachine()
    XCTAssertEqual(machine.request.map(\.name), ["Accept-Encoding"])
    XCTAssertEqual(machine.request["Accept-Encoding"], "identity")
    XCTAssertEqual(
      machine.responded(200, headers([("Content-Length", "5"), ("ETag", "\"a\"")])), .take(from: 0))
    XCTAssertNil(machine.took(5))
    XCTAssertEqual(machine.ended(), .finish)
    XCTAssertTrue(machine.isComplete)
  }

  func testAPartWhoseTagIsOneTextOfOtherBytesIsOfAnotherFile() {
    var machine = begun([("ETag", "\"\u{E9}\"")])
    XCTAssertEqual(
      machine.responded(206, part("bytes 40-99/100", [("ETag", "\"e\u{301}\"")])), .startOver)
  }

  func testAPartWhoseEndCannotBeCountedIsNone() {
    var machine = begun()
    XCTAssertEqual(machine.responded(206, part("bytes 40-9223372036854775807/*")), .startOver)
  }

  func testTheRestIsAskedForUnderAStrongCondition() {
    XCTAssertEqual(begun().request["Range"], "bytes=40-")
    XCTAssertEqual(begun().request["If-Range"], "\"a\"")
    XCTAssertEqual(begun(Self.dates).request["If-Range"], Self.dates[0].1)
    XCTAssertEqual(begun(Self.dates + [("ETag", "\"b\"")]).request["If-Range"], "\"b\"")
    for weak: [(String, String)] in [
      [], [("ETag", "W/\"a\"")], [Self.dates[0]], [Self.dates[0], ("Date", Self.dates[0].1)],
      [("ETag", "\"a\""), ("Content-Encoding", "gzip")],
    ] {
      let machine = begun(weak)
      XCTAssertNil(machine.request["Range"], "\(weak)")
      XCTAssertFalse(machine.canResume)
      XCTAssertEqual(DownloadMachine(machine.state).state, DownloadState(), "a journal of it counts nothing")
    }
  }

  func testAPartThatContinuesTheSameFileIsTaken() {
    for (range, fields) in [
      ("bytes 40-99/100", [("ETag", "\"a\"")]), ("bytes 40-99/*", [("ETag", "\"a\"")]),
      ("BYTES 40-99/100", [("ETag", "\"a\""), ("Content-Length", "60"), ("Content-Encoding", "identity")]),
    ] {
      var machine = begun()
      XCTAssertEqual(machine.responded(206, part(range, fields)), .take(from: 40), range)
      XCTAssertNil(machine.took(60))
      XCTAssertEqual(machine.ended(), .finish)
    }
    var dated = begun(Self.dates)
    XCTAssertEqual(dated.responded(206, part("bytes 40-99/100", [])), .take(from: 40))
  }

  func testOnlyBytesBeyondTheFurthestAreProgress() {
    var machine = begun()
    XCTAssertTrue(machine.hasProgressed)
    for _ in 0..<2 {
      // The range is ignored, and the body breaks off where the one before did.
      XCTAssertEqual(
        machine.responded(200, headers([("Content-Length", "100"), ("ETag", "\"a\"")])), .take(from: 0))
      XCTAssertNil(machine.took(40))
      XCTAssertFalse(machine.hasProgressed)
    }
    XCTAssertEqual(
      machine.responded(200, headers([("Content-Length", "100"), ("ETag", "\"b\"")])), .take(from: 0))
    XCTAssertNil(machine.took(41))
    XCTAssertTrue(machine.hasProgressed)
  }

  func testAPartThatIsShorterThanAskedForIsTakenAndTheRestAskedFor() {
    var machine = begun()
    XCTAssertEqual(machine.responded(206, part("bytes 40-49/100")), .take(from: 40))
    XCTAssertNil(machine.took(10))
    XCTAssertEqual(machine.ended(), .ask)
    XCTAssertEqual(machine.request["Range"], "bytes=50-")
  }

  func testAPartThatDoesNotFitIsDiscardedAndTheSecondTimeTheDownloadFails() {
    let etag = ("ETag", "\"a\"")
    for (range, fields) in [
      ("bytes 39-99/100", [etag]), ("bytes 0-99/100", [etag]), ("bytes 40-99/101", [etag]),
      ("bytes 40-99/100", [("ETag", "\"b\"")]), ("bytes 40-99/100", [("ETag", "W/\"a\"")]),
      ("bytes 40-99/100", []),
      ("bytes 40-99/100", [etag, ("Content-Encoding", "gzip")]),
      ("bytes 40-99/100", [etag, ("Content-Length", "59")]),
      ("bytes 40-99/100", [etag, ("Content-Type", "multipart/byteranges; boundary=x")]),
      ("bytes 40-99/100", [etag, ("Content-Range", "bytes 40-99/100")]),
      ("bytes 40-100/100", [etag]), ("bytes 40-39/100", [etag]), ("bytes */100", [etag]),
      ("items 40-99/100", [etag]),
      ("bytes 40-99", [etag]), ("bytes +40-99/100", [etag]), ("bytes -40-99/100", [etag]), ("", [etag]),
      ("bytes 40-99999999999999999999/*", [etag]),
    ] as [(String, [(String, String)])] {
      var machine = begun()
      XCTAssertEqual(machine.responded(206, part(range, fields)), .startOver, "\(range) \(fields)")
      XCTAssertEqual(machine.state, DownloadState())
      XCTAssertNil(machine.request["Range"])
      // A part again, though none was asked for.
      XCTAssertTrue(fails(machine.responded(206, part("bytes 0-9/100")), keepsPartial: false))
    }
    var dated = begun(Self.dates)
    XCTAssertEqual(
      dated.responded(206, part("bytes 40-99/100", [("Last-Modified", "Sat, 21 Nov 2026 11:20:00 GMT")])),
      .startOver)
  }

  func testMoreBytesThanAPartAnnouncesAreNotTaken() {
    var machine = begun()
    XCTAssertEqual(machine.responded(206, part("bytes 40-49/100")), .take(from: 40))
    XCTAssertEqual(machine.took(11), .startOver)
  }

  func testAResponse200IsANewFile() {
    var machine = begun()
    XCTAssertEqual(
      machine.responded(200, headers([("Content-Length", "7"), ("ETag", "\"b\"")])), .take(from: 0))
    XCTAssertEqual(machine.state.offset, 0)
    XCTAssertEqual(machine.state.total, 7)
    XCTAssertEqual(machine.state.etag, "\"b\"")
  }

  func testAResponse200WithTheRangeOfAPartIsDiscarded() {
    for range in ["bytes 40-99/100", "bytes 0-39/100", "bytes 0-99/*", "x"] {
      var machine = begun()
      XCTAssertEqual(machine.responded(200, part(range)), .startOver, range)
    }
    var whole = begun()
    XCTAssertEqual(whole.responded(200, part("bytes 0-99/100")), .take(from: 0))
  }

  func testEachStatusHasItsMeaning() {
    for status in [416, 412] {
      var machine = begun()
      XCTAssertEqual(machine.responded(status, HTTPHeaders()), .startOver, "\(status)")
      XCTAssertTrue(fails(machine.responded(status, HTTPHeaders()), keepsPartial: false), "\(status)")
    }
    var gone = begun()
    XCTAssertTrue(fails(gone.responded(410, HTTPHeaders()), keepsPartial: false))
    for status in [204, 301, 401, 403, 404, 429, 500, 503] {
      var machine = begun()
      XCTAssertTrue(fails(machine.responded(status, HTTPHeaders()), keepsPartial: true), "\(status)")
      XCTAssertEqual(machine.state.offset, 40)
    }
  }

  func testA416OfAnotherFileDoesNotCompleteThisOne() {
    var machine = DownloadMachine()
    _ = machine.responded(200, headers([("ETag", "\"a\"")]))
    _ = machine.took(40)
    XCTAssertEqual(machine.responded(416, part("bytes */40", [("ETag", "\"b\"")])), .startOver)
    var dated = DownloadMachine()
    _ = dated.responded(200, headers(Self.dates))
    _ = dated.took(40)
    XCTAssertEqual(
      dated.responded(416, part("bytes */40", [("Last-Modified", "Sat, 21 Nov 2026 10:20:09 GMT")])),
      .startOver)
  }

  func testA416AtTheEndOfAFileOfUnknownLengthCompletesIt() {
    var machine = DownloadMachine()
    _ = machine.responded(200, headers([("ETag", "\"a\"")]))
    _ = machine.took(40)
    XCTAssertEqual(machine.responded(416, part("bytes */40", [])), .finish)
    var other = DownloadMachine(machine.state)
    other = begun()
    XCTAssertEqual(other.responded(416, part("bytes */40", [])), .startOver, "it had 100 bytes")
  }

  func testAnUnknownLengthIsThatAtTheEndAndAShortBodyIsNone() {
    var machine = DownloadMachine()
    _ = machine.responded(200, headers([("ETag", "\"a\"")]))
    _ = machine.took(40)
    XCTAssertFalse(machine.isComplete)
    XCTAssertEqual(machine.ended(), .finish)
    XCTAssertEqual(machine.state.total, 40)
    var weak = DownloadMachine()
    _ = weak.responded(200, headers([("Content-Length", "100")]))
    _ = weak.took(40)
    XCTAssertEqual(weak.ended(), .startOver)
  }

  func testAStateThatWasDamagedStartsOver() {
    let sound = DownloadState(
      offset: 3, total: 9, etag: "\"a\"", lastModified: "Sat, 01 Jan 2000 00:00:00 GMT",
      digest: FileDigest(member: "sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:"))
    XCTAssertEqual(DownloadMachine(sound).state, sound)
    let damages: [(inout DownloadState) -> Void] = [
      { $0.etag = "a" }, { $0.etag = "\"a" }, { $0.etag = "\"" }, { $0.etag = "W/\"a\"" },
      { $0.etag = "\"a\nb\"" },
      { $0.etag = "\"\u{7F}\"" }, { $0.lastModified = "Sat, 01 Jan" }, { $0.offset = -1 }, { $0.offset = 10 },
      { $0.digest?.hex.removeLast() }, { $0.digest?.isLong = true },
    ]
    for (index, damage) in damages.enumerated() {
      var state = sound
      damage(&state)
      XCTAssertEqual(DownloadMachine(state).state, DownloadState(), "\(index)")
    }
  }

  func testADigestOfTheRepresentationIsKept() throws {
    var machine = DownloadMachine()
    _ = machine.responded(
      200,
      headers([
        ("ETag", "\"a\""),
        ("Repr-Digest", "sha-512=:AA==:, sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:"),
      ]))
    XCTAssertEqual(
      machine.state.digest,
      try FileDigest(sha256: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"))
  }
}

/// Names that servers give.
final class SafeFileNameTests: XCTestCase {
  func testANameIsTakenFromTheField() {
    for (field, name) in [
      ("attachment; filename=\"a.pdf\"", "a.pdf"), ("attachment; FileName=a.pdf", "a.pdf"),
      ("attachment; filename=\"a.txt\"; filename*=UTF-8''%E8%8B%8F.pdf", "苏.pdf"),
      ("attachment; filename*=utf-8'en'a%20b; filename=x", "a b"),
      ("inline; filename=\"a\\\"b;c\"", "a\"b;c"),
      ("attachment; filename*=iso-8859-1''%E4; filename=plain", "plain"),
      ("attachment; filename*=UTF-8''%FF; filename=plain", "plain"),
    ] {
      XCTAssertEqual(SafeFileName.name(inDisposition: field), name, field)
    }
    for field in ["attachment", "", "attachment; filename=", "filename=x", "attachment; filename=\"..\""] {
      XCTAssertNil(SafeFileName.name(inDisposition: field), field)
    }
  }

  func testHostileNamesLoseTheirPower() {
    for (name, safe) in [
      ("../../etc/passwd", "passwd"), ("..\\..\\boot.ini", "boot.ini"), ("/etc/passwd", "passwd"),
      (".bashrc", "bashrc"), ("...", nil), (".", nil), ("", nil), ("a/", nil), ("a\u{0}b\nc\u{7F}", "abc"),
      ("invoice\u{202E}fdp.exe", "invoicefdp.exe"), ("a\u{200F}\u{2066}b\u{61C}", "ab"), (" .. a . ", "a"),
      ("a\u{2028}b", "ab"), ("ok name (1).tar.gz", "ok name (1).tar.gz"), ("a.pdf.apikit-part", "a.pdf"),
      ("a.pdf.APIKIT-part.journal", "a.pdf"), (".apikit-part", nil), ("a.apikit-\u{200D}part", "a"),
      // Slashes and dots that make one character with what stands beside them.
      ("/\u{200D}../\u{200D}../\u{200D}evil", "evil"), ("..\\\u{200D}..\\\u{200D}evil", "evil"),
      ("Photos/\u{FE0F}x", "\u{FE0F}x"), ("a\u{D4E}/b", "b"), ("\u{600}/../\u{200D}b", "b"),
      (".\u{FE0F}bashrc", "\u{FE0F}bashrc"),
    ] as [(String, String?)] {
      XCTAssertEqual(SafeFileName.safe(name), safe, name.debugDescription)
    }
    let long = SafeFileName.safe(String(repeating: "苏", count: 300) + ".pdf") ?? ""
    XCTAssertLessThanOrEqual(long.utf8.count, SafeFileName.longest)
    XCTAssertTrue(long.hasSuffix("苏.pdf"))
  }
}
