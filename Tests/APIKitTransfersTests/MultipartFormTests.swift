import APIKitTesting
import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitTransfers

/// The bytes of a form, and what becomes of it when a part is not what it was.
final class MultipartFormTests: XCTestCase {
  private lazy var folder = temporaryFolder()

  private func file(_ name: String, _ bytes: [UInt8]) throws -> String {
    let url = folder.appendingPathComponent(name)
    try Data(bytes).write(to: url)
    return url.path
  }

  private func stream(_ form: MultipartForm) throws -> HTTPBodyStream {
    guard case .stream(let stream) = try form.body() else { throw APIError(.assembly, .misconfigured) }
    return stream
  }

  private static func bytes(_ stream: HTTPBodyStream) async throws -> [UInt8] {
    let next = try stream.open()
    var all: [UInt8] = []
    while let chunk = try await next() { all += chunk }
    return all
  }

  private static func source(_ chunks: [String]) -> HTTPBodyStream.Source {
    let rest = Mutex(chunks[...])
    return { rest.withLock { $0.popFirst().map { Array($0.utf8) } } }
  }

  func testPartsAreSentInOrderWithTheirFieldsAndTheLengthIsThatOfTheBytes() async throws {
    var form = MultipartForm(boundary: "b")
    form.append("title", text: "a\nb")
    form.append("title", text: "{}", contentType: "application/json")
    form.append("a", bytes: [1, 2], fileName: "one.PNG")
    form.append("b", file: try file("note", Array("hello".utf8)), fileName: "n.txt")
    form.append(
      "c", stream: HTTPBodyStream(length: 4, isReplayable: true) { Self.source(["xy", "", "zw"]) },
      fileName: "s")
    let stream = try stream(form)
    let expected =
      "--b\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\na\nb\r\n"
      + "--b\r\nContent-Disposition: form-data; name=\"title\"\r\nContent-Type: application/json\r\n\r\n{}\r\n"
      + "--b\r\nContent-Disposition: form-data; name=\"a\"; filename=\"one.PNG\"\r\nContent-Type: image/png\r\n\r\n\u{1}\u{2}\r\n"
      + "--b\r\nContent-Disposition: form-data; name=\"b\"; filename=\"n.txt\"\r\nContent-Type: text/plain\r\n\r\nhello\r\n"
      + "--b\r\nContent-Disposition: form-data; name=\"c\"; filename=\"s\"\r\nContent-Type: application/octet-stream\r\n\r\nxyzw\r\n"
      + "--b--\r\n"
    let sent = try await Self.bytes(stream)
    XCTAssertEqual(String(decoding: sent, as: UTF8.self), expected)
    XCTAssertEqual(stream.length, Int64(sent.count))
    XCTAssertTrue(stream.isReplayable)
    XCTAssertEqual(stream.contentType, "multipart/form-data; boundary=b")
    let again = try await Self.bytes(stream)
    XCTAssertEqual(again, sent, "each attempt sends the same bytes")
  }

  func testAFormWithoutPartsIsItsLastDelimiter() async throws {
    let sent = try await Self.bytes(try stream(MultipartForm(boundary: "b")))
    XCTAssertEqual(String(decoding: sent, as: UTF8.self), "--b--\r\n")
  }

  func testNamesEscapeLineEndsAndQuotesAndNothingElse() async throws {
    var form = MultipartForm(boundary: "b")
    form.append("a\r\nb\"c\\d;%22苏é", text: "")
    form.append("f", bytes: [], fileName: "x\"\r\n\ny 家.bin")
    let sent = String(decoding: try await Self.bytes(try stream(form)), as: UTF8.self)
    XCTAssertTrue(sent.contains("name=\"a%0D%0Ab%22c\\d;%22苏é\"\r\n\r\n"), sent)
    XCTAssertTrue(sent.contains("filename=\"x%22%0D%0A%0Ay 家.bin\"\r\n"), sent)
    XCTAssertFalse(sent.contains("filename*"))
  }

  func testTheTypeOfAFileIsThatOfItsNameThenOfItsBytesThenUnknown() async throws {
    let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0, 0]
    for (name, content, type) in [
      ("a.html", jpeg, "text/html"), ("a", jpeg, "image/jpeg"),
      ("a.unknown", Array("%PDF-1.7".utf8), "application/pdf"),
      ("a.unknown", Array("text".utf8), "application/octet-stream"), (".png", [], "image/png"),
      ("png", [], "application/octet-stream"),
    ] {
      for fromDisk in [false, true] {
        var form = MultipartForm()
        if fromDisk {
          form.append("f", file: try file("content", content), fileName: name)
        } else {
          form.append("f", bytes: content, fileName: name)
        }
        let sent = String(decoding: try await Self.bytes(try stream(form)), as: UTF8.self)
        XCTAssertTrue(sent.contains("\r\nContent-Type: \(type)\r\n"), "\(name), from disk: \(fromDisk)")
      }
    }
  }

  func testABoundaryHas128RandomBitsAndStaysThatOfTheForm() throws {
    var seen: Set<String> = []
    for _ in 0..<100 {
      let form = MultipartForm()
      let digits = form.boundary.dropFirst("apikit-".count)
      XCTAssertEqual(digits.count, 32)
      XCTAssertTrue(digits.allSatisfy(\.isHexDigit))
      XCTAssertLessThanOrEqual(form.boundary.count, 70, "RFC 2046, 5.1.1")
      XCTAssertEqual(try stream(form).contentType, try stream(form).contentType)
      seen.insert(form.boundary)
    }
    XCTAssertEqual(seen.count, 100)
  }

  func testAStreamOfUnknownLengthLeavesThatOfTheFormOpenAndAOneShotStreamIsNotSentAgain() throws {
    var form = MultipartForm()
    form.append("a", stream: HTTPBodyStream(isReplayable: true) { { nil } }, fileName: "a")
    XCTAssertNil(try stream(form).length)
    XCTAssertTrue(try stream(form).isReplayable)
    form.append("b", stream: HTTPBodyStream(length: 0) { { nil } }, fileName: "b")
    XCTAssertFalse(try stream(form).isReplayable)
  }

  func testAStreamThatDoesNotGiveItsLengthEndsTheBody() async throws {
    for chunks in [["abc"], ["abcd", "e"], ["abcdef"]] {
      var form = MultipartForm()
      form.append("a", stream: HTTPBodyStream(length: 4) { Self.source(chunks) }, fileName: "a")
      let body = try stream(form)
      let error = await failure { try await Self.bytes(body) }
      XCTAssertEqual(error?.reason, .unreadableBody, "\(chunks)")
      XCTAssertTrue(error?.detail.contains("its length is 4") == true, error?.detail ?? "")
    }
  }

  func testAReaderGivesTheSameBytesWhateverTheSizeOfItsBuffer() async throws {
    var form = MultipartForm()
    form.append("empty", text: "")
    form.append("f", file: try file("a", (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }))
    form.append("none", file: try file("b", []))
    form.append("d", bytes: [UInt8](repeating: 9, count: 300_000), fileName: "d")
    let body = try stream(form)
    let expected = try await Self.bytes(body)
    XCTAssertEqual(Int64(expected.count), body.length)
    for size in [1, 77, 16 << 10, 1 << 20] {
      let reader = try XCTUnwrap(body.openReader)()
      var (all, buffer) = ([UInt8](), [UInt8](repeating: 0, count: size))
      // A byte at a time is enough for the start.
      while all.count < (size == 1 ? 2_000 : .max) {
        let count = try buffer.withUnsafeMutableBytes { try reader.read(into: $0) }
        if count == 0 { break }
        all += buffer[..<count]
      }
      XCTAssertTrue(all.elementsEqual(expected.prefix(all.count)), "\(size)")
      if size > 1 { XCTAssertEqual(all.count, expected.count) }
    }
    form.append("s", stream: HTTPBodyStream { Self.source(["x"]) }, fileName: "s")
    XCTAssertNil(try stream(form).openReader, "a stream of the application may wait")
  }

  func testAFileThatIsAnotherLargerSmallerOrNewerIsRefusedByName() async throws {
    let changes: [(String, (String) throws -> Void)] = [
      ("gone", { try FileManager.default.removeItem(atPath: $0) }),
      ("shorter", { try XCTUnwrap(FileHandle(forWritingAtPath: $0)).truncate(atOffset: 3) }),
      ("longer", { try Data("hello and more".utf8).write(to: URL(fileURLWithPath: $0)) }),
      (
        "another",
        { path in
          let date = try XCTUnwrap(FileManager.default.attributesOfItem(atPath: path)[.modificationDate])
          try FileManager.default.moveItem(atPath: path, toPath: path + ".old")
          try Data("HELLO".utf8).write(to: URL(fileURLWithPath: path))
          try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path)
        }
      ),
      (
        "newer",
        {
          try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: $0)
        }
      ),
    ]
    for (name, change) in changes {
      let path = try file(name, Array("hello".utf8))
      var form = MultipartForm()
      form.append("f", file: path)
      let body = try stream(form)
      _ = try await Self.bytes(body)
      try change(path)
      let error = await failure { try await Self.bytes(body) }
      XCTAssertEqual(error?.reason, .unreadableBody, name)
      XCTAssertTrue(error?.detail.contains("/\(name)\"") == true, "\(name): \(error?.detail ?? "")")
    }
  }

  func testAFileThatShrinksOrIsWrittenWhileItIsSentEndsTheBodyAndIsNotPadded() async throws {
    for (size, word) in [(300_000 as UInt64, "shorter"), (2_000_000, "changed")] {
      let path = try file("large-\(size)", [UInt8](repeating: 7, count: 1_000_000))
      var form = MultipartForm()
      form.append("f", file: path)
      let next = try stream(form).open()
      let first = try await next()
      XCTAssertNotNil(first)
      try XCTUnwrap(FileHandle(forWritingAtPath: path)).truncate(atOffset: size)
      let error = await failure {
        while let chunk = try await next() { XCTAssertFalse(chunk.isEmpty) }
        return 0
      }
      XCTAssertEqual(error?.reason, .unreadableBody)
      XCTAssertTrue(error?.detail.contains(word) == true, error?.detail ?? "")
    }
  }

  func testWhatIsNoPlainFileAndATypeWithALineEndAreRefusedWhenTheBodyIsMade() throws {
    let fifo = folder.appendingPathComponent("fifo").path
    XCTAssertEqual(mkfifo(fifo, 0o600), 0)
    for path in [fifo, folder.path, folder.path + "/none"] {
      var form = MultipartForm()
      form.append("f", file: path)
      XCTAssertThrowsError(try form.body()) { error in
        XCTAssertEqual((error as? APIError)?.reason, .unreadableBody)
        XCTAssertTrue("\(error)".contains(path), "\(error)")
      }
    }
    var form = MultipartForm()
    form.append("f", text: "", contentType: "text/plain\r\nX-Evil: 1")
    XCTAssertThrowsError(try form.body()) { XCTAssertEqual(($0 as? APIError)?.reason, .invalidHeader) }
  }

  func testPartsThatTogetherHaveMoreBytesThanALengthCountsAreRefused() throws {
    var form = MultipartForm()
    form.append("a", stream: HTTPBodyStream(length: .max) { { nil } }, fileName: "a")
    XCTAssertThrowsError(try form.body()) { XCTAssertEqual(($0 as? APIError)?.reason, .unreadableBody) }
  }

  // MARK: On the wire

  @MainActor func testAFormIsSentWithItsTypeAndLengthAndTheSameBytesOnEachAttempt() async throws {
    let content = (0..<600_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let count = Counter()
    let server = try ScriptedServer.serving { _ in
      let status = count.next() == 0 ? "503 Busy" : "200 OK"
      return Array("HTTP/1.1 \(status)\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}".utf8)
    }
    defer { server.stop() }
    var form = MultipartForm()
    form.append("city", text: "苏州")
    form.append("photo", file: try file("house.jpg", content))
    for type in [nil, "multipart/related; boundary=mine"] {
      let service = TestService(
        HTTPClient(transport: DefaultTransport.shared), ServiceEnvironments(try server.url("/api")))
      let manager = TestManager(service)
      manager.method = .put
      manager.ownRetryPolicy = RetryPolicy(attempts: 2)
      manager.ownRetryPolicy?.backoff = .constant(.zero)
      manager.body = try form.body()
      if let type { manager.headers["Content-Type"] = type }
      let before = server.requests.count
      _ = try await manager.response()
      let sent = server.requests[before...]
      let expected = try await Self.bytes(try stream(form))
      for request in sent {
        XCTAssertEqual(request.headers["Content-Type"], type ?? form.contentType)
        XCTAssertEqual(request.headers["Content-Length"], "\(expected.count)")
        XCTAssertFalse(request.isChunked)
        XCTAssertTrue(request.body == expected)
      }
      XCTAssertEqual(sent.count, type == nil ? 2 : 1)
    }
  }

  @MainActor func testALoadWhoseFileWasChangedFailsByTheNameOfTheFile() async throws {
    let server = try ScriptedServer.serving { _ in Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8)
    }
    defer { server.stop() }
    var form = MultipartForm()
    let path = try file("report.csv", Array("a,b".utf8))
    form.append("f", file: path)
    let service = TestService(
      HTTPClient(transport: DefaultTransport.shared), ServiceEnvironments(try server.url("/api")))
    let manager = TestManager(service)
    manager.method = .post
    manager.body = try form.body()
    try Data("a,b,c".utf8).write(to: URL(fileURLWithPath: path))
    let error = await failure { try await manager.response() }
    XCTAssertEqual(error?.reason, .unreadableBody)
    XCTAssertTrue(error?.detail.contains("report.csv") == true, error?.detail ?? "")
    XCTAssertEqual(server.requests.count, 0, "nothing was sent")
  }
}
