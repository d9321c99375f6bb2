import APIKitTesting
import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitReports

/// What an archive says of a request and its response beside what the application stated.
final class ArchiveAsSentTests: XCTestCase {
  private func entry(
    _ request: HTTPRequest, _ stub: StubTransport, file: StaticString = #filePath, line: UInt = #line
  ) async throws -> RawData {
    let exchanges = ExchangeArchive(keepsBodies: true)
    _ = try? await exchanges.archiving(stub).send(request)
    let log = try RawData(parsing: exchanges.archive.harBytes()).log
    XCTAssertEqual(log.entries.count, 1, file: file, line: line)
    return log.entries[0]
  }

  private func fields(_ raw: RawData) -> [String] {
    raw.elements.map { "\($0.name.string ?? "none"): \($0.value.string ?? "none")" }
  }

  #if os(Linux)
    func testTheHeaderFieldsAreThoseThatTheServerHasReceived() async throws {
      let server = try ScriptedServer.serving { _ in ScriptedServer.response(text: "ok") }
      defer { server.stop() }
      var stated = HTTPRequest(method: .post, url: try server.url("/a"), body: .bytes(Array("abc".utf8)))
      stated.headers = ["Accept": "text/plain", "Host": "other.test", "Content-Type": "text/plain"]
      let requests = [
        HTTPRequest(url: try server.url("/a")), HTTPRequest(method: .put, url: try server.url("/a")), stated,
      ]
      let exchanges = ExchangeArchive()
      let transport = exchanges.archiving(try CurlTransport(.ephemeral))
      for request in requests { _ = try await transport.send(request) }
      func sorted(_ headers: HTTPHeaders) -> [String] { headers.map { "\($0.name): \($0.value)" }.sorted() }
      XCTAssertEqual(
        exchanges.archive.entries.map { sorted($0.request.headers) },
        server.requests.map { sorted($0.headers) })
      XCTAssertEqual(exchanges.archive.entries[0].request.headers["Host"], "127.0.0.1:\(server.port)")
    }

    func testAResponseThatWasCutHasItsStatus() async throws {
      let server = try ScriptedServer(
        .readRequest, .write(Array("HTTP/1.1 206 Partial Content\r\nContent-Length: 10\r\n\r\nabc".utf8)),
        .close)
      defer { server.stop() }
      let exchanges = ExchangeArchive()
      let transport = exchanges.archiving(try CurlTransport(.ephemeral))
      _ = try? await transport.send(HTTPRequest(url: try server.url("/a")))
      let entry = try XCTUnwrap(exchanges.archive.entries.first)
      XCTAssertEqual(entry.response?.status, 206)
      XCTAssertEqual(entry.failure, "transport.truncated-body")
      XCTAssertEqual(entry.response?.wireBytes, 3)
    }
  #endif

  func testAResponseThatWasCutHasItsFieldsWhereTheTransportTellsThem() async throws {
    let response = HTTPResponse(status: 200, headers: ["X-A": "1"], body: .bytes([1, 2, 3]))
    let cut = try await entry(
      HTTPRequest(url: "https://homes.test/"), StubTransport(.truncated(after: 1, of: response)))
    XCTAssertEqual(cut.response.status.int, 200)
    XCTAssertEqual(cut.response.statusText.string, "OK")
    XCTAssertEqual(cut["_error"].string, "transport.truncated-body")
    XCTAssertEqual(fields(cut.response.headers), ["X-A: 1"])
    XCTAssertEqual(cut.response.content.comment.string, "the response is not complete")
  }

  func testThePortOfTheSchemeIsNoPartOfHost() async throws {
    for (url, host) in [
      ("https://homes.test:443/", "homes.test"), ("http://homes.test:443/", "homes.test:443"),
      ("http://[::1]:80/", "[::1]"),
    ] {
      let entry = try await entry(HTTPRequest(url: try HTTPURL(url)), StubTransport(.status(204)))
      XCTAssertEqual(fields(entry.request.headers).first, "Host: \(host)")
    }
  }

  func testCookiesHaveTheirNamesAndNotTheirValues() async throws {
    var request = HTTPRequest(url: "https://homes.test/")
    request.headers = ["Cookie": "session=canary; theme=canary; canary"]
    let entry = try await entry(
      request, StubTransport(.status(200, headers: ["Set-Cookie": "session=canary; Path=/; HttpOnly"])))
    XCTAssertEqual(entry.request.cookies.elements.map { $0.name.string }, ["session", "theme", "•••"])
    XCTAssertEqual(entry.request.cookies[0].value.string, "•••")
    XCTAssertEqual(entry.response.cookies[0].name.string, "session")
    XCTAssertEqual(fields(entry.response.headers), ["Set-Cookie: session=•••; Path=/; HttpOnly"])
    XCTAssertFalse(entry.jsonText().contains("canary"))
  }

  func testACookieBehindAJoiningLetterHasItsName() async throws {
    var request = HTTPRequest(url: "https://homes.test/")
    request.headers = ["Cookie": "a\u{D4E}=1; b\u{D4E}; c=2"]
    let entry = try await entry(request, StubTransport(.status(204)))
    XCTAssertEqual(entry.request.cookies.elements.count, 3)
    XCTAssertEqual(entry.request.cookies[0].name.string, "a\u{D4E}")
  }

  func testAQueryWithMarksHasItsNamesAndValues() throws {
    // Another program's file has the URL as somebody has typed it.
    let file = """
      {"log": {"version": "1.2", "entries": [{"request": {"method": "GET",
        "url": "https://a.test/?\u{301}a=\u{301}1&\u{301}b=2#\u{301}c"}, "response": {"status": 200}}]}}
      """
    let raw = try RawData(parsing: HTTPArchive(parsing: Array(file.utf8)).harBytes())
    let query = raw.log.entries[0].request.queryString
    XCTAssertEqual(
      query.elements.map { Array($0.name.string!.utf8) }, ["\u{301}a", "\u{301}b"].map { Array($0.utf8) })
    XCTAssertEqual(
      query.elements.map { Array($0.value.string!.utf8) }, ["\u{301}1", "2"].map { Array($0.utf8) })
  }

  func testTheStatusHasItsPhrase() async throws {
    for (status, text) in [(200, "OK"), (404, "Not Found"), (503, "Service Unavailable"), (599, "")] {
      let entry = try await entry(HTTPRequest(url: "https://homes.test/"), StubTransport(.status(status)))
      XCTAssertEqual(entry.response.statusText.string, text)
    }
  }

  func testTheSizeOfAFileIsThatOfThePartThatIsSent() async throws {
    let path = try temporaryFile("canary".utf8)
    let request = HTTPRequest(method: .post, url: "https://homes.test/", body: .file(path: path, offset: 2))
    let entry = try await entry(request, StubTransport(.status(204)))
    XCTAssertEqual(entry.request.bodySize.int, 4)
    XCTAssertTrue(entry.request.postData.comment.exists)
    XCTAssertFalse(entry.request.postData.text.exists)
    XCTAssertTrue(fields(entry.request.headers).contains("Content-Length: 4"))
  }

  func testAnArchiveWithABodyThatIsNotWhatItStatesIsRefusedByName() {
    func detail(_ content: String, version: String = "1.2") -> String {
      let text = """
        {"log": {"version": "\(version)", "entries": [{"request": {"method": "GET", "url": "https://a.test/"},
          "response": {"status": 200, "content": \(content)}}]}}
        """
      do throws(APIError) {
        _ = try HTTPArchive(parsing: Array(text.utf8))
        return "none"
      } catch {
        return error.detail
      }
    }
    XCTAssertEqual(
      detail(#"{"text": "AA=A", "encoding": "base64"}"#),
      "the response of entry 0 has a body that is not base64, as it states")
    XCTAssertEqual(
      detail(#"{"text": "a", "encoding": "gzip"}"#),
      #"the response of entry 0 has a body in the encoding "gzip"; base64 is read"#)
    XCTAssertEqual(detail(#"{"text": "AAEC\n/w==", "encoding": "base64"}"#), "none")
    XCTAssertEqual(detail("{}", version: "2.0"), #"the archive is of version "2.0"; 1.1 and 1.2 are read"#)
    XCTAssertEqual(detail("{}", version: "1.1"), "none")
    XCTAssertEqual(detail("{}", version: ""), "none")
  }
}
