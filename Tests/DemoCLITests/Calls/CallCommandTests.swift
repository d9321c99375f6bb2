import APIKit
import APIKitReports
import DemoServer
import Foundation
@testable import TestSupport
import XCTest

@testable import DemoCLI

/// Any URL: get, head, post, put, patch, delete.
@MainActor
final class CallCommandTests: XCTestCase {
  private lazy var folder = temporaryFolder()

  private func path(_ name: String) -> String { folder.appendingPathComponent(name).path }
  private func write(_ text: String, to name: String) throws -> String {
    try Data(text.utf8).write(to: folder.appendingPathComponent(name))
    return path(name)
  }

  func testAPipeGetsTheBodyAsItIsAndNothingElse() async throws {
    let server = try DemoServer()
    let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    let run = await CommandLineRun("get \(server.baseURL.string)transfers/files/200000")
    XCTAssertEqual(run.status, .success, run.errors.joined())
    XCTAssertEqual(run.written, bytes)
    XCTAssertEqual(run.output + run.errors, [])
  }

  func testATerminalGetsHeadBodyInLinesAndASummary() async throws {
    let server = try DemoServer()
    server.on(.get, "/a") { _ in .json(#"{"b":[1.0,{"c":"d\u0041"}],"e":{},"f":12345678901234567890}"#) }
    let url = server.baseURL.string + "a"
    let run = await CommandLineRun(["get", url], isTerminal: true)
    XCTAssertEqual(run.output.first, "HTTP/1.1 200")
    XCTAssertTrue(run.output.contains("Content-Type: application/json"))
    XCTAssertEqual(
      Array(run.output.drop { $0 != "{" }),
      [
        "{", "  \"b\": [", "    1.0,", "    {", "      \"c\": \"d\\u0041\"", "    }", "  ],", "  \"e\": {},",
        "  \"f\": 12345678901234567890", "}",
      ])
    XCTAssertTrue(run.errors.last?.hasPrefix("200 in ") == true, run.errors.joined())
    let colored = await CommandLineRun(["get", url, "--explain"], isTerminal: true, hasColor: true)
    XCTAssertTrue(colored.output.joined().contains("\u{1B}[34m\"b\"\u{1B}[0m: ["), colored.output.joined())
    XCTAssertTrue(
      colored.errors.contains { $0.contains("\u{1B}[32m") && $0.contains("landed: success") },
      "\(colored.errors)")
    for (part, first, last) in [("head", "HTTP/1.1 200", "…"), ("body", "{", "}")] {
      let one = await CommandLineRun(["get", url, "--show", part], isTerminal: true)
      XCTAssertEqual(one.output.first, first)
      XCTAssertEqual(one.output.last == last, part == "body")
    }
  }

  func testATerminalGetsNoBinaryNoControlCharactersAndNoEndlessBody() async throws {
    let server = try DemoServer()
    server.on(.get, "/evil") { _ in .text("a\u{1B}[2Jb\r\nc\u{9B}d\té") }
    server.on(.get, "/long") { _ in .text(String(repeating: "é123456789\n", count: 200_000)) }
    let binary = await CommandLineRun(
      ["get", server.baseURL.string + "transfers/files/5000"], isTerminal: true)
    XCTAssertEqual(binary.written, [])
    XCTAssertTrue(binary.errors[0].contains("the body is no text and is not shown"), binary.errors.joined())
    XCTAssertEqual(binary.status, .success)
    let evil = await CommandLineRun(["get", server.baseURL.string + "evil"], isTerminal: true)
    XCTAssertEqual(evil.text, "a\u{FFFD}[2Jb\nc\u{FFFD}d    é\n")
    let long = await CommandLineRun(["get", server.baseURL.string + "long"], isTerminal: true)
    XCTAssertLessThanOrEqual(long.written.count, BodyPrinter.terminalLimit + 4)
    XCTAssertGreaterThan(long.written.count, BodyPrinter.terminalLimit - 4)
    XCTAssertTrue(long.errors[0].hasPrefix("only the first 1.0 MB are shown"), long.errors.joined())
  }

  func testAStatusOfAFailureIsSaidInASentenceAndItsBodyIsShown() async throws {
    let server = try DemoServer()
    let url = server.baseURL.string + "nothing/here"
    for more in [[], ["--retries", "1"]] {
      let run = await CommandLineRun(["get", url] + more)
      XCTAssertEqual(run.status, .failed)
      XCTAssertTrue(run.text.contains("there is nothing here"), run.text)
      let told = "DemoCLI: GET nothing/here (127.0.0.1) failed in response: status 404"
      XCTAssertTrue(run.errors.first?.hasPrefix(told) == true, run.errors.joined())
      XCTAssertEqual(run.errors.last, "What you asked for does not exist.")
    }
    let large = try write(String(repeating: "x", count: 2 << 20), to: "large")
    let run = await CommandLineRun(["upload", large, "--base-url", server.baseURL.string])
    XCTAssertEqual(run.status, .failed)
    XCTAssertTrue(
      run.errors.joined().contains("status 413: the body is larger than 1048576 bytes"), run.errors.joined())
    let machine = await CommandLineRun(["get", url, "--json"])
    let raw = try RawData(parsing: machine.output.joined())
    XCTAssertEqual(raw.status.int, 404)
    XCTAssertEqual(raw.body["path"].string, "/nothing/here")
    XCTAssertEqual(machine.status, .failed)
  }

  func testHeadShowsTheHeaderFieldsAlsoInAPipe() async throws {
    let server = try DemoServer()
    let run = await CommandLineRun(["head", server.baseURL.string + "transfers/files/8"])
    XCTAssertEqual(run.status, .success, run.errors.joined())
    XCTAssertEqual(run.output.first, "HTTP/1.1 200")
    XCTAssertTrue(run.output.contains("ETag: \"demo-8\""), run.output.joined(separator: "\n"))
    XCTAssertEqual(run.written, [])
  }

  func testAnUploadReportsAllOfItsBytes() async throws {
    let server = try DemoServer()
    let file = try write(String(repeating: "x", count: 300_000), to: "file")
    for kind in ["plain", "tus"] {
      let run = await CommandLineRun(["upload", file, "--as", kind, "--base-url", server.baseURL.string])
      XCTAssertEqual(run.status, .success, run.errors.joined())
      XCTAssertEqual(run.errors.last, "100 %, 300.0 kB", kind)
      XCTAssertTrue(run.progress.last?.contains("100 %") == true, run.progress.joined())
    }
  }

  func testAFailureIsRetriedAsOftenAsAsked() async throws {
    let server = try DemoServer()
    let url = server.baseURL.string + "ames/v2/listings?limit=1"
    let once = await CommandLineRun(["get", url, "X-Demo-Fail:503", "X-Demo-Times:1", "X-Demo-Key:a"])
    XCTAssertEqual(once.status, .failed)
    let again = await CommandLineRun(
      ["get", url, "X-Demo-Fail:503", "X-Demo-Times:1", "X-Demo-Key:b", "--retries", "2", "--explain"])
    XCTAssertEqual(again.status, .success, again.errors.joined())
    XCTAssertTrue(again.errors.joined().contains("retry in"), again.errors.joined())
  }

  func testDataAreSentAsJSONAFormOrFiles() async throws {
    let server = try DemoServer()
    for method in [HTTPMethod.post, .put, .patch] {
      server.on(method, "/echo") { request in
        DemoResponse(headers: ["X-Type": request.headers["Content-Type"] ?? ""], body: request.body)
      }
    }
    let url = server.baseURL.string + "echo"
    let file = try write("\u{1}file", to: "photo.bin")
    let list = try write("[1,2]", to: "list.json")
    for name in ["post", "put", "patch"] {
      let json = await CommandLineRun(
        [
          name, url, "name=Ann", "age:=41", "tags:=[\"a\",null]", "list:=@\(list)",
          "big:=12345678901234567890", "q==x y", "q==z",
        ])
      let raw = try RawData(parsing: json.written)
      XCTAssertEqual(
        raw,
        try RawData(
          parsing: #"{"name":"Ann","age":41,"tags":["a",null],"list":[1,2],"big":12345678901234567890}"#))
    }
    XCTAssertEqual(server.requests.last?.target, "/echo?q=x%20y&q=z")
    let form = await CommandLineRun(["post", url, "--form", "a=1 2", "b=ü"])
    XCTAssertEqual(form.text, "a=1+2&b=%C3%BC")
    let parts = await CommandLineRun(["post", url, "title=House", "photo@\(file)"])
    XCTAssertTrue(parts.text.contains("name=\"photo\"; filename=\"photo.bin\""), parts.text)
    XCTAssertTrue(parts.text.contains("name=\"title\"\r\n\r\nHouse"), parts.text)
    let whole = await CommandLineRun(["put", url, "@\(list)", "--show", "all"])
    XCTAssertEqual(whole.text, "[1,2]")
    XCTAssertTrue(whole.output.contains("X-Type: application/json"), whole.output.joined())
    let asked = await CommandLineRun(["get", server.baseURL.string + "ames/v2/listings?limit=1", "offset=2"])
    XCTAssertEqual(asked.status, .success)
    XCTAssertEqual(
      server.requests.last?.target, "/ames/v2/listings?limit=1&offset=2", "data of get are its query")
  }

  func testNumbersKeepTheirDigits() async throws {
    let server = try DemoServer()
    server.on(.post, "/a") { _ in .json("{}") }
    let url = server.baseURL.string + "a"
    let run = await CommandLineRun([
      "post", url, "a:=1.0", "b:=1e2", "c:=-0", "d:=0.10", "e:=18446744073709551615", "f:=41",
      #"g:={"h":[1.0,9007199254740993.0]}"#,
    ])
    XCTAssertEqual(run.status, .success, run.errors.joined())
    XCTAssertEqual(
      server.requests.last.map { String(decoding: $0.body, as: UTF8.self) },
      #"{"a":1.0,"b":1e2,"c":-0,"d":0.10,"e":18446744073709551615,"f":41,"g":{"h":[1.0,9007199254740993.0]}}"#
    )
  }

  func testATimeoutIsTheLimitOfASilentServerToo() async throws {
    let arguments = try ParsedArguments(
      [":1/x", "--timeout", "120"], options: GetCommand.allOptions, operands: GetCommand.operands)
    let call = try CallArguments(arguments, .get)
    let session = Session(arguments, console: .standard)
    let service = try CallService(call.target, in: session, timeout: call.timeout)
    let limit = Duration.seconds(120)
    XCTAssertEqual(
      service.wire.loadOptions.timeouts, HTTPTimeouts(connect: limit, idle: limit, total: limit))
  }

  func testATokenIsReadFromAPipe() async throws {
    let server = try DemoServer()
    server.on(.get, "/me") { _ in .json("{}") }
    let pipe = Pipe()
    try pipe.fileHandleForWriting.write(contentsOf: Data("piped\n".utf8))
    try pipe.fileHandleForWriting.close()
    let file = "/dev/fd/\(pipe.fileHandleForReading.fileDescriptor)"
    let run = await CommandLineRun([
      "get", server.baseURL.string + "me", "--auth", "@\(file)", "--auth-type", "bearer",
    ])
    XCTAssertEqual(run.status, .success, run.errors.joined())
    XCTAssertEqual(server.requests.last?.headers["Authorization"], "Bearer piped")
  }

  func testSecretsAreMaskedInTheRecordTheArchiveAndTheCommand() async throws {
    let server = try DemoServer()
    server.on(.get, "/me") { _ in
      var response = DemoResponse.json(#"{"access_token":"canary-4"}"#)
      response.headers.add("Set-Cookie", "session=canary-5")
      return response
    }
    let (har, token) = (path("a.har"), try write("canary-1\n", to: "token"))
    let run = await CommandLineRun([
      "get", server.baseURL.string + "me", "--auth", "@\(token)", "--auth-type", "bearer",
      "api_key==canary-2",
      "X-Api-Key:canary-3", "--explain", "--verbose", "--har", har,
    ])
    XCTAssertEqual(run.status, .success, run.errors.joined())
    XCTAssertEqual(server.requests.last?.headers["Authorization"], "Bearer canary-1")
    XCTAssertEqual(server.requests.last?.target, "/me?api_key=canary-2")
    let told = run.errors.joined(separator: "\n")
    XCTAssertTrue(told.contains("flight ") && told.contains("curl "), told)
    let streamed = await CommandLineRun(["get", server.baseURL.string + "me", "--verbose"])
    XCTAssertEqual(streamed.errors.last, "# 200", "no count is said of a body that is still to come")
    let archive = try String(contentsOfFile: har, encoding: .utf8)
    XCTAssertEqual(try HTTPArchive(parsing: Array(archive.utf8)).entries.count, 1)
    for number in 1...5 { XCTAssertFalse((told + archive).contains("canary-\(number)"), told + archive) }
    XCTAssertTrue(run.text.contains("canary-4"), "the body itself is the result")
  }

  func testRedirectsAreFollowedReturnedOrKeptWithinTheOrigin() async throws {
    let (server, other) = (try DemoServer(), try DemoServer())
    let target = other.baseURL.string + "ames/v2/listings?limit=1"
    server.on(.get, "/go") { _ in DemoResponse(302, headers: ["Location": target]) }
    let url = server.baseURL.string + "go"
    let followed = await CommandLineRun(["get", url, "-a", "ann:secret", "--json"])
    XCTAssertEqual(try RawData(parsing: followed.output.joined()).redirects.int, 1, followed.errors.joined())
    XCTAssertNotNil(server.requests.last?.headers["Authorization"])
    XCTAssertNil(other.requests.last?.headers["Authorization"], "a login stays within its origin")
    let refused = await CommandLineRun(["get", url, "--redirects", "refuse", "--show", "head"])
    XCTAssertEqual(refused.output.first, "HTTP/1.1 302")
    XCTAssertEqual(refused.status, .success)
    let kept = await CommandLineRun(["get", url, "--redirects", "same-origin"])
    XCTAssertEqual(kept.status, .failed)
    XCTAssertEqual(other.counters.requests, 1)
  }

  func testRequestsAreSigned() async throws {
    let server = try DemoServer(signatures: .standard())
    let key = try write(DemoSignatures.Keys.ames + "\n", to: "key")
    let line = ["get", server.baseURL.string + "ames/v2/listings", "limit==1"]
    let unsigned = await CommandLineRun(line)
    XCTAssertEqual(unsigned.status, .failed)
    let signed = await CommandLineRun(line + ["--sign", "hmac:\(DemoSignatures.Keys.amesID)", "--key", key])
    XCTAssertEqual(signed.status, .success, signed.text)
    let message = await CommandLineRun(line + ["--sign", "hmac-sha256:app", "--key", key])
    XCTAssertEqual(message.status, .failed, "the server wants another scheme")
    XCTAssertTrue(server.requests.last?.headers["Signature-Input"]?.contains("keyid=\"app\"") == true)
  }

  func testAFileIsWrittenAsAskedAndNothingIsLeftOfAFailure() async throws {
    let server = try DemoServer()
    let (url, file) = (server.baseURL.string + "transfers/files/3000", path("file"))
    let lost = await CommandLineRun(["get", server.baseURL.string + "nothing", "-o", file])
    XCTAssertEqual(lost.status, .failed)
    let broken = await CommandLineRun(["get", url + "?demo_break=1000", "-o", file])
    XCTAssertEqual(broken.status, .failed)
    XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: folder.path), [])
    let run = await CommandLineRun(["get", url, "-o", file])
    XCTAssertEqual(run.errors, ["\(file), 3,000 bytes"])
    XCTAssertEqual(FileManager.default.contents(atPath: file)?.count, 3000)
    let again = await CommandLineRun(["get", url, "-o", file])
    XCTAssertEqual(again.status, .wrongUsage)
    let over = await CommandLineRun([
      "get", server.baseURL.string + "transfers/files/2000", "-o", file, "--overwrite",
    ])
    XCTAssertEqual(over.status, .success, over.errors.joined())
    XCTAssertEqual(FileManager.default.contents(atPath: file)?.count, 2000)
  }

  func testAnInterruptedDownloadIsResumedToTheSameFile() async throws {
    let server = try DemoServer()
    let content = (0..<3000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    server.on(.get, "/file") { request in
      let first = request.headers["Range"].flatMap { Int($0.dropFirst("bytes=".count).dropLast()) } ?? 0
      var response = DemoResponse(
        first > 0 ? 206 : 200, headers: ["ETag": "\"a\""], body: Array(content[first...]))
      if first > 0 { response.headers.add("Content-Range", "bytes \(first)-2999/3000") }
      if first == 0 { response.cutAfter = 1000 }
      return response
    }
    let (file, url) = (path("file"), server.baseURL.string + "file?v=1")
    let broken = await CommandLineRun(["get", url, "-o", file, "--resume"])
    XCTAssertEqual(broken.status, .failed)
    XCTAssertNil(FileManager.default.contents(atPath: file))
    let resumed = await CommandLineRun(["get", url, "-o", file, "--resume"])
    XCTAssertEqual(resumed.status, .success, resumed.errors.joined())
    XCTAssertEqual(resumed.errors.last, "\(file), 3,000 bytes, resumed at 1,000")
    XCTAssertEqual(FileManager.default.contents(atPath: file).map { Array($0) }, content)
    XCTAssertEqual(server.requests.last?.headers["Range"], "bytes=1000-")
    _ = await CommandLineRun(["get", url, "-o", path("other"), "--resume"])
    let another = await CommandLineRun([
      "get", server.baseURL.string + "file?v=2", "-o", path("other"), "--resume",
    ])
    XCTAssertEqual(another.status, .failed, "another query is another file")
    XCTAssertNil(server.requests.last?.headers["Range"])
  }

  func testHeadAndDeleteHaveNoBody() async throws {
    let server = try DemoServer()
    server.on(.delete, "/user") { _ in DemoResponse(204) }
    let head = await CommandLineRun([
      "head", server.baseURL.string + "transfers/files/8000", "--show", "head",
    ])
    XCTAssertTrue(head.output.contains("Content-Length: 8000"), head.output.joined())
    let deleted = await CommandLineRun(["delete", server.baseURL.string + "user", "id=7"])
    XCTAssertEqual(deleted.status, .success, deleted.errors.joined())
    XCTAssertEqual(server.requests.last?.target, "/user?id=7")
    XCTAssertEqual(server.requests.map(\.method), [.head, .delete])
  }
}
