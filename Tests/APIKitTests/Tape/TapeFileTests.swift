import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitReports
@testable import APIKitTesting

final class TapeFileTests: TapeCase {
  func testATapeIsSortedWithOneFieldALineAndReadsBackEqual() async throws {
    let recorder = try recorder(over: StubTransport(.json(#"{"items": ["\u2028 \ud83d\ude00"]}"#)))
    _ = try await recorder.send(get("https://homes.test/homes?a=1"))
    try recorder.save()
    let text = try String(contentsOfFile: file, encoding: .utf8)
    let lines = text.split(separator: "\n")
    XCTAssertTrue(lines.allSatisfy { $0.count { $0 == ":" } == 0 || $0.contains("\"") })
    XCTAssertTrue(text.contains("\n          \"method\": \"GET\",\n"), text)
    let names = ["_tape", "creator", "entries", "version"].compactMap {
      text.range(of: "\n    \"\($0)\"")?.lowerBound
    }
    XCTAssertEqual(names.count, 4, text)
    XCTAssertEqual(names, names.sorted())
    let tape = try Tape(contentsOf: file)
    XCTAssertEqual(tape.data, recorder.tape.data)
    XCTAssertEqual(tape.data, Data(text.utf8))
  }

  func testAMissingFolderIsMadeForATape() throws {
    let folder = file + ".folder"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try Tape().write(to: folder + "/Tapes/homes.har")
    XCTAssertEqual(try Tape(contentsOf: folder + "/Tapes/homes.har").archive.entries.count, 0)
  }

  func testALargeBinaryBodyLiesBesideTheTapeByItsDigest() async throws {
    let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    let small = [UInt8](bytes.prefix(1000))
    let server = StubTransport(
      .bytes(bytes, contentType: "image/png"), .bytes(bytes, contentType: "image/png"),
      .bytes(small, contentType: "image/png"))
    let recorder = try recorder(over: server)
    for path in ["a", "b", "c"] {
      _ = try await recorder.send(get(try HTTPURL("https://homes.test/\(path)")))
    }
    try recorder.save()
    let size = try XCTUnwrap(try FileManager.default.attributesOfItem(atPath: file)[.size] as? Int)
    XCTAssertLessThan(size, 20_000)
    XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: file + ".bodies").count, 1)
    let tape = try TapeTransport(file: file)
    for (path, body) in [("a", bytes), ("b", bytes), ("c", small)] {
      let response = try await tape.send(get(try HTTPURL("https://homes.test/\(path)")))
      XCTAssertEqual(response.bytes, body, path)
    }
    // One that no entry has any more goes.
    try Data().write(to: URL(fileURLWithPath: file + ".bodies/old.bin"))
    try tape.tape.write(to: file)
    XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: file + ".bodies").count, 1)
    // What was cut or changed is not played.
    let body = file + ".bodies/" + (try FileManager.default.contentsOfDirectory(atPath: file + ".bodies")[0])
    for harmed in [Array(bytes.dropLast()), [1] + bytes.dropFirst()] {
      try Data(harmed).write(to: URL(fileURLWithPath: body))
      XCTAssertThrowsError(try Tape(contentsOf: file)) {
        XCTAssertEqual(($0 as? APIError)?.reason, .fileFailed)
      }
    }
    // From memory its file is not found.
    let data = try Data(contentsOf: URL(fileURLWithPath: file))
    do throws(APIError) {
      _ = try Tape(data: data)
      XCTFail("the body was found")
    } catch {
      XCTAssertEqual(error.reason, .misconfigured)
    }
  }

  func testABodysFileOutsideTheFolderIsRefused() throws {
    // In the second a variation selector makes another character of the slash.
    for name in ["../../etc/passwd", "../\u{FE0F}passwd"] {
      let text = har(entry: #"{"size": 3, "mimeType": "image/png", "_file": "\#(name)"}"#)
      try Data(text.utf8).write(to: URL(fileURLWithPath: file))
      XCTAssertThrowsError(try Tape(contentsOf: file)) {
        XCTAssertEqual(($0 as? APIError)?.reason, .misconfigured)
      }
    }
  }

  func testATapeThatSomebodyEditedWithOtherLineEndsOrAByteOrderMarkIsRead() async throws {
    let recorder = try recorder(over: StubTransport(.json("[1]")))
    _ = try await recorder.send(get("https://homes.test/a"))
    let text = String(decoding: recorder.tape.data, as: UTF8.self)
    let edited = "\u{FEFF}" + text.replacingOccurrences(of: "\n", with: "\r\n")
    let tape = TapeTransport(try Tape(data: Data(edited.utf8)))
    let response = try await tape.send(get("https://homes.test/a"))
    XCTAssertEqual(response.text, "[1]")
  }

  func testATapeOfAnotherVersionIsRefusedByName() throws {
    let text = #"{"log": {"version": "1.2", "_tape": {"version": 2}, "entries": []}}"#
    do throws(APIError) {
      _ = try Tape(data: Data(text.utf8))
      XCTFail("it was read")
    } catch {
      XCTAssertEqual(error.reason, .misconfigured)
      XCTAssertTrue(error.detail.contains("version 2"), error.detail)
      XCTAssertTrue(error.detail.contains("version 1"), error.detail)
    }
    XCTAssertThrowsError(try Tape(data: Data(#"{"log": {"_tape": {}, "entries": []}}"#.utf8))) {
      XCTAssertTrue(($0 as? APIError)?.detail.contains("version unknown") == true, "\($0)")
    }
    XCTAssertThrowsError(try Tape(data: Data("{}".utf8)))
    XCTAssertThrowsError(try Tape(data: Data(#"{"log": {"entries": [{}]}}"#.utf8)))
    XCTAssertThrowsError(try Tape(contentsOf: folder + "/nothing.har"))
  }

  func testABodyThatIsNotBase64IsRefusedAndTheEntryNamed() {
    let text = har(entry: #"{"size": 9, "mimeType": "image/png", "text": "eyJ!", "encoding": "base64"}"#)
    XCTAssertThrowsError(try Tape(data: Data(text.utf8))) {
      XCTAssertEqual(
        ($0 as? APIError)?.detail, "the response of entry 0 has a body that is not base64, as it states")
    }
  }

  func testARecordedAttemptThatWasCutFailsAgainWithItsLabel() async throws {
    let whole = HTTPResponse(status: 200, headers: [:], body: .bytes([1, 2, 3]))
    let recorder = try recorder(over: StubTransport(.truncated(after: 1, of: whole)))
    _ = await failure(of: get("https://homes.test/a"), over: recorder)
    let tape = try Tape(data: recorder.tape.data)
    XCTAssertEqual(tape.archive.entries.first?.response?.status, 200)
    let error = await failure(of: get("https://homes.test/a"), over: TapeTransport(tape))
    XCTAssertEqual(error.reason, .truncatedBody)
  }

  func testTheNearestEntryIsTheOneWithTheFewestEdits() async throws {
    let recorder = try recorder(over: StubTransport(.json("[]")))
    for path in ["homes/list", "homes/1/photos", "homez", "agents/7?city=Suzhou"] {
      _ = try await recorder.send(get(try HTTPURL("https://homes.test/\(path)")))
    }
    let tape = TapeTransport(recorder.tape)
    for (path, nearest) in [
      ("homes", "entry 2, GET /homez:"), ("homes/12/photos", "entry 1, GET /homes/1/photos:"),
      ("agents/7?city=Suzho", "entry 3, GET /agents/7:"), ("homes/lists", "entry 0, GET /homes/list:"),
    ] {
      let error = await failure(of: get(try HTTPURL("https://homes.test/\(path)")), over: tape)
      XCTAssertTrue(error.detail.contains("the nearest is \(nearest)"), error.detail)
    }
    XCTAssertEqual(EditDistance.between("kitten", "sitting"), 3)
    XCTAssertEqual(EditDistance.between("", "abc"), 3)
    let long = String(repeating: "a", count: 1000)
    XCTAssertEqual(
      EditDistance.between(long + "b", long + "c"), 1, "what differs behind the limit is not equal")
    XCTAssertEqual(EditDistance.between(long, "b"), 1000)
  }

  func testAHARThatABrowserWroteIsATape() async throws {
    let text = har(
      entry: """
        {"size": 9, "mimeType": "application/json; charset=utf-8", "text": "eyJhIjoxfQ==", "encoding": "base64"}
        """)
    let tape = TapeTransport(try Tape(data: Data(text.utf8)))
    let response = try await tape.send(get("https://homes.test/homes?page=1"))
    XCTAssertEqual(response.text, #"{"a":1}"#)
    XCTAssertEqual(response.version, .http2)
    XCTAssertEqual(response.headers.values("set-cookie"), ["a=1", "b=2"])
    XCTAssertNil(response.headers[":status"])
  }

  func testATapeOfOneMebibyteIsOpenedQuickly() throws {
    let entry = try XCTUnwrap(
      Tape(data: Data(har(entry: #"{"size": 2, "mimeType": "application/json", "text": "[]"}"#).utf8)).archive
        .entries.first)
    var archive = HTTPArchive()
    while archive.entries.count < 700 { archive.entries.append(entry) }
    let data = Tape(archive).data
    XCTAssertGreaterThan(data.count, 1 << 20)
    // A loose bound for debug builds on a busy machine.
    let time = try ContinuousClock().measure {
      XCTAssertEqual(try Tape(data: data).archive.entries.count, 700)
    }
    XCTAssertLessThan(time, .seconds(5))
  }

  func testADriftIsToldByShapeAndNotByValues() async throws {
    let recorder = try recorder(
      over: StubTransport(.json(#"{"items": [{"id": 1, "tag": null, "old": true}], "total": 1}"#)))
    _ = try await recorder.send(get("https://homes.test/a"))
    _ = try await recorder.send(post("https://homes.test/a", "{}"))
    let tape = recorder.tape
    func drift(_ response: StubResponse) async throws -> [String] {
      let live = StubTransport(response)
      let lines = try await tape.drift(over: live)
      XCTAssertEqual(live.requests.count, 1, "only what changes nothing is asked")
      return lines
    }
    let same = try await drift(
      .json(
        #"{"total": 7, "items": [{"tag": "x", "old": false, "id": 9}, {"id": 2, "old": true, "tag": null}]}"#)
    )
    XCTAssertEqual(same, [])
    let other = try await drift(
      .json(#"{"items": [{"id": "1", "tag": null, "more": {"deep": 1}}], "total": 1}"#))
    XCTAssertEqual(
      other,
      [
        "entry 0, GET /a: $.items[].id is string, recorded number", "entry 0, GET /a: $.items[].old is gone",
        "entry 0, GET /a: $.items[].more is new",
      ])
    let status = try await drift(.status(404))
    XCTAssertEqual(status, ["entry 0, GET /a: the status is 404, recorded 200"])
    let type = try await drift(.text("[]"))
    XCTAssertEqual(type, ["entry 0, GET /a: the media type is text/plain, recorded application/json"])
  }

  func testMembersWithDotsAndBracketsInTheirNamesDriftAsOthers() async throws {
    let recorder = try recorder(over: StubTransport(.json(#"{"a.b": 1, "c[]": 2, "d": {"e": 1}}"#)))
    _ = try await recorder.send(get("https://homes.test/a"))
    let live = StubTransport(.json(#"{"d.e": "x", "d": {"e": 1}, "f[]": 1}"#))
    let lines = try await recorder.tape.drift(over: live)
    XCTAssertEqual(
      lines,
      ["$.a.b is gone", "$.c[] is gone", "$.d.e is new", "$.f[] is new"].map { "entry 0, GET /a: \($0)" })
  }

  func testAMediaTypeWithASpaceBeforeItsParametersDoesNotDrift() async throws {
    let response = StubResponse.json("[]", headers: ["Content-Type": "Application/JSON ; charset=utf-8"])
    let recorder = try recorder(over: StubTransport(response))
    _ = try await recorder.send(get("https://homes.test/a"))
    let lines = try await recorder.tape.drift(over: StubTransport(response))
    XCTAssertEqual(lines, [])
  }

  /// What Firefox and Chromium write, with fields that nobody reads here.
  private func har(entry content: String) -> String {
    """
    {"log": {"version": "1.2", "creator": {"name": "Firefox", "version": "140.0"},
     "browser": {"name": "Firefox", "version": "140.0"},
     "pages": [{"id": "page_1", "title": "Homes", "startedDateTime": "2026-01-02T03:04:05.678+01:00",
       "pageTimings": {"onContentLoad": -1, "onLoad": 512}}],
     "entries": [{"pageref": "page_1", "startedDateTime": "2026-01-02T03:04:05.678+01:00", "time": 12.5,
       "_initiator": {"type": "script"}, "_priority": "High", "_resourceType": "fetch",
       "request": {"method": "GET", "url": "https://homes.test/homes?page=1", "httpVersion": "h2", "bodySize": 0,
         "headers": [{"name": ":authority", "value": "homes.test"}, {"name": "accept", "value": "*/*"}],
         "cookies": [], "queryString": [{"name": "page", "value": "1"}], "headersSize": -1},
       "response": {"status": 200, "statusText": "", "httpVersion": "h2", "_transferSize": 99, "cookies": [],
         "headers": [{"name": ":status", "value": "200"}, {"name": "set-cookie", "value": "a=1"},
           {"name": "set-cookie", "value": "b=2"}, {"name": "content-length", "value": "9"},
           {"name": "content-encoding", "value": "br"}],
         "content": \(content), "redirectURL": "", "headersSize": -1, "bodySize": 9},
       "cache": {}, "timings": {"blocked": 1, "dns": -1, "ssl": -1, "connect": -1, "send": 0.5, "wait": 10, "receive": 1},
       "serverIPAddress": "192.0.2.1", "connection": "443"}]}}
    """
  }

  #if os(Linux)
    func testAFullDiskIsToldAsOneAndTheTapeStays() throws {
      try Data("before".utf8).write(to: URL(fileURLWithPath: file))
      for body in [[], [UInt8](repeating: 0xFF, count: 20_000)] {
        var tape = Tape()
        let request = HTTPArchive.Request(
          method: .post, url: "https://homes.test/a", headers: [:], body: HTTPArchive.Content(body))
        tape.archive.entries = [HTTPArchive.Entry(secondsSince1970: 0, request: request)]
        let limit = FileSizeLimit(100)
        let result = Result { try tape.write(to: file) }
        limit.remove()
        XCTAssertThrowsError(try result.get()) { error in
          XCTAssertEqual((error as? APIError)?.reason, .storageFull)
        }
      }
      XCTAssertEqual(FileManager.default.contents(atPath: file), Data("before".utf8))
    }
  #endif
}
