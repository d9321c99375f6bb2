import Foundation
import XCTest

@testable import APIKit
@testable import APIKitTesting

final class TapeSecretTests: TapeCase {
  func testATokenOfASignInIsFoundAgainWhereItIsUsedAndIsNotOnTheTape() async throws {
    let server = StubTransport()
    server.on(.post, "/sign-in", .json(#"{"access_token": "canary/token+1", "expires_in": 60}"#))
    server.on("/mine", .json("[]"))
    let recorder = try recorder(over: server)
    let signIn = post("https://homes.test/sign-in", #"{"user": "ann", "password": "canary-password"}"#)
    _ = try await recorder.send(signIn)
    _ = try await recorder.send(get("https://homes.test/mine", ["Authorization": "Bearer canary/token+1"]))
    // Under a name that is no secret, too.
    _ = try await recorder.send(get("https://homes.test/mine?who=canary/token+1"))
    try recorder.save()
    let text = try String(contentsOfFile: file, encoding: .utf8)
    XCTAssertFalse(text.contains("canary"), text)

    let tape = try TapeTransport(file: file)
    // Another password at every run.
    let response = try await tape.send(
      post("https://homes.test/sign-in", #"{"user": "ann", "password": "other"}"#))
    let token = try XCTUnwrap(try RawData(parsing: response.bytes).access_token.string)
    XCTAssertEqual(token, "apikit-secret-2")
    _ = try await tape.send(get("https://homes.test/mine", ["Authorization": "Bearer \(token)"]))
    _ = try await tape.send(get(try HTTPURL("https://homes.test/mine?who=\(token)")))
    XCTAssertEqual(tape.unused, [])
    // The token of nobody's sign-in is another request.
    let error = await failure(
      of: get("https://homes.test/mine", ["Authorization": "Bearer forged"]), over: tape)
    XCTAssertTrue(error.detail.contains("recorded Authorization: Bearer apikit-secret-2"), error.detail)
    XCTAssertFalse(error.detail.contains("forged"), error.detail)
  }

  func testTwoTokensAreToldApart() async throws {
    let server = StubTransport()
    server.on(.post, "/sign-in", .json(#"{"token": "canary-first"}"#), .json(#"{"token": "canary-second"}"#))
    server.on("/mine", .json(#""first""#), .json(#""second""#))
    let recorder = try recorder(over: server)
    for name in ["ann", "bob"] {
      _ = try await recorder.send(post("https://homes.test/sign-in", "{\"user\": \"\(name)\"}"))
    }
    for token in ["canary-first", "canary-second"] {
      _ = try await recorder.send(get("https://homes.test/mine", ["Authorization": "Bearer \(token)"]))
    }
    let tape = TapeTransport(recorder.tape)
    // In another order than they were recorded.
    let second = try await tape.send(
      get("https://homes.test/mine", ["Authorization": "Bearer apikit-secret-2"]))
    let first = try await tape.send(
      get("https://homes.test/mine", ["Authorization": "Bearer apikit-secret-1"]))
    XCTAssertEqual([first.text, second.text], [#""first""#, #""second""#])
  }

  func testASecretThatIsOneTextWithAnotherOfOtherBytesIsNotOnTheTape() async throws {
    let server = StubTransport()
    let secrets = ["canary-caf\u{E9}", "canary-cafe\u{301}"]
    server.on(
      .post, "/sign-in", .json("{\"token\": \"\(secrets[0])\"}"), .json("{\"token\": \"\(secrets[1])\"}"))
    server.on("/note", .json("[]"))
    let recorder = try recorder(over: server)
    for secret in secrets {
      _ = try await recorder.send(post("https://homes.test/sign-in", #"{"user": "ann"}"#))
      _ = try await recorder.send(post("https://homes.test/note", "{\"who\": \"\(secret)\"}"))
    }
    try recorder.save()
    let text = try String(contentsOfFile: file, encoding: .utf8)
    XCTAssertFalse(text.contains("canary"), text)
  }

  func testRequestsOfOneTextAndOtherBytesAreToldApart() async throws {
    let server = StubTransport()
    server.on("/find", .json(#""first""#), .json(#""second""#))
    let recorder = try recorder(over: server)
    let queries = ["caf\u{E9}", "cafe\u{301}"]
    for query in queries {
      _ = try await recorder.send(post("https://homes.test/find", "{\"q\": \"\(query)\"}"))
    }
    let tape = TapeTransport(recorder.tape)
    var texts: [String?] = []
    for query in queries.reversed() {
      texts.append(
        try await tape.send(post("https://homes.test/find", "{\"q\": \"\(query)\"}")).text)
    }
    XCTAssertEqual(texts, [#""second""#, #""first""#])
  }

  func testASecretKeepsItsTypeAndWhatIsNoSecretIsKept() async throws {
    let body =
      #"{"pin": 1234, "token": null, "hasSecret": true, "session": {"id": "canary", "n": [7]}, "code": "0"}"#
    var rules = TapeRules()
    rules.plainNames = ["code"]
    let recorder = try recorder(over: StubTransport(.json(body)), rules: rules)
    _ = try await recorder.send(get("https://homes.test/a"))
    let response = try await TapeTransport(recorder.tape, rules: rules).send(get("https://homes.test/a"))
    let raw = try RawData(parsing: response.bytes)
    XCTAssertEqual(raw.pin.int.map { $0 > 9_000_000_000 }, true)
    XCTAssertTrue(raw.token.isNull)
    XCTAssertEqual(raw.hasSecret.bool, true)
    XCTAssertEqual(raw.session.id.string, "apikit-secret-2")
    XCTAssertEqual(raw.session.n[0].kind, .number)
    XCTAssertEqual(raw["code"].string, "0")
  }

  func testASignatureThatIsAnotherEachTimeDoesNotKeepRequestsApart() async throws {
    let recorder = try recorder(over: StubTransport(.json("1")))
    _ = try await recorder.send(
      get("https://homes.test/a?sign=abc&timestamp=1", ["Authorization": "HMAC keyId=k, signature=first"]))
    let tape = TapeTransport(recorder.tape)
    for index in 0..<3 {
      let url = try HTTPURL("https://homes.test/a?sign=x\(index)&timestamp=\(index)")
      let response = try await tape.send(get(url, ["Authorization": "HMAC keyId=k, signature=s\(index)"]))
      XCTAssertEqual(response.text, "1")
    }
  }

  func testPseudonymsGoOnWhereATapeIsAddedTo() async throws {
    let first = try recorder(over: StubTransport(.json(#"{"token": "canary-one"}"#)))
    _ = try await first.send(get("https://homes.test/a"))
    try first.save()
    let second = try recorder(over: StubTransport(.json(#"{"token": "canary-two"}"#)), adding: true)
    _ = try await second.send(get("https://homes.test/b"))
    XCTAssertTrue(String(decoding: second.tape.data, as: UTF8.self).contains("apikit-secret-2"))
  }

  func testAPseudonymThatNoRecordingGaveIsNotCountedOn() throws {
    let entry =
      #"{"request":{"method":"GET","url":"https://a/?x=apikit-secret-\#(Int.max)"},"response":{"status":200}}"#
    let tape = try Tape(data: Data(#"{"log":{"version":"1.2","entries":[\#(entry)]}}"#.utf8))
    XCTAssertEqual(Pseudonyms(tape).mask(TapeRules()).query("token=abc"), "token=apikit-secret-1")
  }

  func testASecretThatIsKnownLaterIsNotInWhatWasRecordedBefore() async throws {
    let server = StubTransport()
    server.on("/ping", .json("{\"device\": \"canary-7f3a\", \"shown\": \"canary-7f3a\u{301}\"}"))
    server.on("/token", .json(#"{"access_token": "canary-7f3a"}"#))
    let recorder = try recorder(over: server)
    _ = try await recorder.send(get("https://homes.test/ping", ["X-Device": "canary-7f3a"]))
    _ = try await recorder.send(get("https://homes.test/token"))
    try recorder.save()
    let text = try String(contentsOfFile: file, encoding: .utf8)
    XCTAssertFalse(text.contains("canary"), text)
    let tape = try TapeTransport(file: file)
    let response = try await tape.send(get("https://homes.test/ping"))
    XCTAssertEqual(try RawData(parsing: response.bytes).device.string, "apikit-secret-1")
  }

  /// PHP, for one, escapes slashes.
  func testASecretIsFoundWhereJSONEscapesIt() async throws {
    let server = StubTransport()
    server.on("/token", .json(#"{"access_token": "canary\/7f3a\"b"}"#))
    server.on("/mine", .json(#"{"again": "canary\/7f3a\"b", "and": "canary/7f3a\"b"}"#))
    let recorder = try recorder(over: server)
    _ = try await recorder.send(get("https://homes.test/token"))
    _ = try await recorder.send(get("https://homes.test/mine"))
    let text = String(decoding: recorder.tape.data, as: UTF8.self)
    XCTAssertFalse(text.contains("canary"), text)
  }

  func testAPseudonymBesideAMarkIsFound() async throws {
    let texts = ["apikit-secret-7\u{20E3}", "\u{600}apikit-secret-7", "a \r\n apikit-secret-7\r\n"]
    for text in texts {
      XCTAssertEqual(Pseudonyms.numbers(in: text), [7], text)
      XCTAssertEqual(
        Array(Pseudonyms.replacing(in: text) { _ in "7" }.utf8), Array(text.utf8), "the rest stays as it is")
    }
    XCTAssertEqual(Pseudonyms.numbers(in: "apikit-secret-1 apikit-secret-x apikit-secret-2"), [1, 2])
  }

  func testRequestsWhosePseudonymsHaveAMarkBehindThemAreToldApart() async throws {
    let server = StubTransport()
    server.on(
      .get, "/token", .json(#"{"access_token": "canary-one"}"#), .json(#"{"access_token": "canary-two"}"#))
    server.on(.post, "/mine", .text("one"), .text("two"))
    let recorder = try recorder(over: server)
    for name in ["one", "two"] {
      _ = try await recorder.send(get("https://homes.test/token"))
      _ = try await recorder.send(post("https://homes.test/mine", "[\"canary-\(name)\u{20E3}\"]"))
    }
    let tape = TapeTransport(recorder.tape)
    for (number, text) in [(2, "two"), (1, "one")] {
      let body = "[\"apikit-secret-\(number)\u{20E3}\"]"
      let response = try await tape.send(post("https://homes.test/mine", body))
      XCTAssertEqual(response.text, text)
    }
  }
}
