import Foundation
import XCTest

@testable import APIKit

final class CurlCommandTests: XCTestCase {
  func testAPlainGetIsShort() {
    XCTAssertEqual(HTTPRequest(url: "https://a/b").curlCommand(), "curl https://a/b")
    XCTAssertEqual(HTTPRequest(method: .head, url: "https://a/b").curlCommand(), "curl --head https://a/b")
    XCTAssertEqual(
      HTTPRequest(method: .delete, url: "https://a/b").curlCommand(), "curl -X DELETE https://a/b")
  }

  func testFieldsBodyAndOptionsAreSpeltOut() {
    var request = HTTPRequest(
      method: .put, url: "https://a/b?x=[1]&y=2", headers: ["Content-Type": "text/plain", "X-Empty": ""],
      body: .bytes(Array("it's".utf8)))
    request.options.login = HTTPLogin(user: "me", password: "hunter2", scheme: .digest)
    request.options.connectTo = "127.0.0.1:8443"
    XCTAssertEqual(
      request.curlCommand(),
      "curl -X PUT --digest -u 'me:•••' --connect-to a:443:127.0.0.1:8443 -H 'Content-Type: text/plain'"
        + " -H 'X-Empty;' --data-raw 'it'\\''s' -g 'https://a/b?x=[1]&y=2'")
  }

  func testAnApostropheThatIsAPartOfACharacterEndsNoQuotes() {
    // A mark behind it, and a letter before it that joins the next one.
    for apostrophe in ["'\u{301}", "\u{D4E}'"] {
      let body = Array("a\(apostrophe); rm -rf ~ #".utf8)
      let command = HTTPRequest(method: .post, url: "https://a/b", body: .bytes(body)).curlCommand()
      let quoted = command.unicodeScalars.filter { $0 != "\u{301}" && $0 != "\u{D4E}" }
      XCTAssertTrue(String(quoted).contains(#"--data-raw 'a'\''; rm -rf ~ #' "#), command)
    }
  }

  func testSegmentsOfDotsStayAsTheyAreSent() throws {
    for path in ["a/../b", "a/./b", "..", "a/%2E%2e/b"] {
      let url = try HTTPURL("https://h/" + path)
      XCTAssertEqual(HTTPRequest(url: url).curlCommand(), "curl --path-as-is https://h/\(path)")
    }
    XCTAssertEqual(HTTPRequest(url: "https://h/a..b?c=/../d").curlCommand(), "curl 'https://h/a..b?c=/../d'")
  }

  func testANameThatIsNoneHasCurlReadNoFile() {
    let request = HTTPRequest(url: "https://a/b", headers: ["@/etc/passwd": "", "X-A": "@/etc/passwd"])
    XCTAssertEqual(request.curlCommand(), "curl -H 'X-A: @/etc/passwd' https://a/b")
  }

  func testSecretsAreMaskedByName() {
    let request = HTTPRequest(
      method: .post, url: "https://a/b?access_token=S3CRET&x=1&Sign%61ture=S3CRET",
      headers: ["Authorization": "Bearer S3CRET", "X-Api-Key": "S3CRET", "Content-Type": "application/json"],
      body: .bytes(
        Array(#"{"user":"me","password": "S3CR\"ET","tokens":["S3CRET",{"a":"S3CRET"}],"n":1}"#.utf8)))
    let masked = request.curlCommand()
    XCTAssertFalse(masked.contains("S3C"), masked)
    XCTAssertTrue(masked.contains(#"{"user":"me","password":"•••","tokens":"•••","n":1}"#), masked)
    XCTAssertTrue(masked.contains("access_token=•••&x=1&Sign%61ture=•••"), masked)
    let signIn = HTTPRequest(
      url: "https://a/?otp=S3CRET&api_key=S3CRET&author=me", headers: ["X-Application-Key": "S3CRET"])
    XCTAssertFalse(signIn.curlCommand().contains("S3C"), signIn.curlCommand())
    XCTAssertTrue(signIn.curlCommand().contains("author=me"))
    XCTAssertTrue(request.curlCommand(maskingSecrets: false).contains("Bearer S3CRET"))
    let form = HTTPRequest(
      method: .post, url: "https://a", headers: ["Content-Type": "application/x-www-form-urlencoded"],
      body: .bytes(Array("user=me&pass+token=S3CRET&b".utf8)))
    XCTAssertTrue(form.curlCommand().contains("'user=me&pass+token=•••&b'"), form.curlCommand())
  }

  func testABodyThatIsNoJSONAtAllDoesNotUpsetTheMask() {
    for text in [
      #"{"token":"#, #"{"token""#, #"{"token":"abc"#, #"{"a":1,"token":[{"#, #"{"\"#, #"{"token":}"#, "{\"",
    ] {
      let request = HTTPRequest(
        method: .post, url: "https://a", headers: ["Content-Type": "application/json"],
        body: .bytes(Array(text.utf8)))
      XCTAssertFalse(request.curlCommand().contains("abc"))
    }
  }

  func testFilesAndStreamsAreNamedAndNotRead() {
    let file = HTTPRequest(method: .post, url: "https://a", body: .file(path: "/tmp/a b"))
    XCTAssertEqual(
      file.curlCommand(), "curl --data-binary '@/tmp/a b' -H 'Content-Type:' https://a/")
    let rest = HTTPRequest(method: .post, url: "https://a", body: .file(path: "/tmp/a", offset: 10))
    XCTAssertEqual(
      rest.curlCommand(), "tail -c +11 /tmp/a | curl --data-binary @- -H 'Content-Type:' https://a/")
  }

  /// Asks a real shell what it makes of the words.
  func testAShellReadsTheWordsBackUnchanged() throws {
    let nasty = "a'b\"c$HOME`id`\\ \n;|&*?~#!{}[]<>é"
    let request = HTTPRequest(
      method: .post, url: "https://a/b?q=$(id)'",
      headers: ["X-A": "it's $HOME; `id`", "Content-Type": "t/p"],
      body: .bytes(Array(nasty.utf8)))
    XCTAssertEqual(
      try words(request.curlCommand()),
      ["-H", "X-A: it's $HOME; `id`", "-H", "Content-Type: t/p", "--data-raw", nasty, "https://a/b?q=$(id)'"])
  }

  func testABodyOfBytesArrivesThroughBase64() throws {
    let request = HTTPRequest(method: .post, url: "https://a", body: .bytes([0, 255, 10, 13, 39]))
    let output = try run("curl() { cat; }; " + request.curlCommand())
    XCTAssertEqual(Array(output), [0, 255, 10, 13, 39])
  }

  private func words(_ command: String) throws -> [String] {
    let output = try run("curl() { printf '%s\\000' \"$@\"; }; " + command)
    return output.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
  }

  private func run(_ script: String) throws -> Data {
    #if os(Linux) || os(macOS)
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/bin/sh")
      process.arguments = ["-c", script]
      let pipe = Pipe()
      process.standardOutput = pipe
      try process.run()
      let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
      process.waitUntilExit()
      return output
    #else
      throw XCTSkip("there is no shell on this platform")
    #endif
  }
}
