import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitTransfers

/// Secrets that are in a text within a text, in a path, and in header fields with a form of their own.
final class SecretMaskNestingTests: XCTestCase {
  private func masked(_ text: String, _ type: String? = "application/json") -> String {
    String(decoding: SecretMask().body(Array(text.utf8), contentType: type), as: UTF8.self)
  }

  private func header(_ name: String, _ value: String) -> String {
    SecretMask().header(HTTPHeaders.Field(name, value))
  }

  func testTextsAndAttributesOfXMLAreMaskedAsWhatTheyAre() {
    for (text, expected) in [
      (
        "<a>\n <u>https://u:S3CRET@h/?x=1&amp;token=S3CRET</u></a>",
        "<a>\n <u>https://•••@h/?x=1&amp;token=•••</u></a>"
      ),
      (
        "<a><u><![CDATA[https://h/?x=1&token=S3CRET]]></u>&amp;</a>",
        "<a><u><![CDATA[https://h/?x=1&token=•••]]></u>&amp;</a>"
      ),
      ("<a href='/b?x=1&#38;token=S3CRET' t=\"a&lt;b\"/>", "<a href='/b?x=1&amp;token=•••' t=\"a&lt;b\"/>"),
      (
        #"<a><!-- a=1 --> {"pin": "S3CRET"} <b/></a>"#,
        "<a><!-- a=1 --> {&quot;pin&quot;:&quot;•••&quot;} <b/></a>"
      ),
      (
        "<a>&lt;b&gt;&lt;pin&gt;S3CRET&lt;/pin&gt;&lt;/b&gt;</a>",
        "<a>&lt;b&gt;&lt;pin&gt;•••&lt;/pin&gt;&lt;/b&gt;</a>"
      ),
      ("<a>\n x=1&amp;pwd=S3CRET\n</a>", "<a>\n x=1&amp;pwd=•••\n</a>"),
      ("<a at='10:00'>x: 1 &lt; 2 &#x41;</a>", "<a at='10:00'>x: 1 &lt; 2 &#x41;</a>"),
      ("<a>https://h/?token=S3CRET", "<a>https://h/?token=•••"),
      ("<a><![CDATA[https://h/?token=S3CRET", "<a><![CDATA[https://h/?token=•••"),
    ] {
      XCTAssertEqual(masked(text, "text/xml"), expected)
    }
    // Each prefix is copied as a whole or masked, and nothing of it is lost.
    let plain = "<?xml version='1.0'?><a b='c:d'><![CDATA[x=1]]>&amp;<!-- y=2 --><b/>z=3</a>"
    for end in plain.indices {
      XCTAssertEqual(masked(String(plain[..<end]), "text/xml"), String(plain[..<end]))
    }
  }

  func testAValueBesideASecretNameOfXMLIsMasked() {
    for (text, expected) in [
      ("<p><name>pin</name><value><int>7</int></value></p>", "<p><name>pin</name><value>•••</value></p>"),
      (
        "<p><Key>token</Key><x>y</x><s:Value>S3CRET</s:Value></p>",
        "<p><Key>•••</Key><x>y</x><s:Value>•••</s:Value></p>"
      ),
      ("<q><p><name>pin</name></p><value>7</value></q>", "<q><p><name>pin</name></p><value>7</value></q>"),
      ("<p><name>city</name><value>Ames</value></p>", "<p><name>city</name><value>Ames</value></p>"),
    ] {
      XCTAssertEqual(masked(text, "text/xml"), expected)
    }
  }

  func testJSONInAStringOfJSONIsMasked() {
    XCTAssertEqual(
      masked(#"{"event": "{\"user\": \"me\", \"password\": \"S3CRET\"}", "n": 1}"#),
      #"{"event": "{\"user\": \"me\", \"password\":\"•••\"}", "n": 1}"#)
    let twice = #"["[\"{\\\"pin\\\": \\\"S3CRET\\\"}\"]"]"#
    XCTAssertTrue(twice.contains("S3CRET"))
    XCTAssertFalse(masked(twice).contains("S3CRET"), masked(twice))
    for text in [
      #"{"a": "{\"pin\": \"S3CRET"#, #"{"a": "{\"pin\": \"S3CRET\q\"}"}"#, #"{"a": "{\"pin\": \"S3CRET\"#,
    ] {
      XCTAssertFalse(masked(text).contains("S3CRET"), masked(text))
    }
    let open = #"{"a": "{\"city\" : \"Ames\"}", "b": "C:\\x = <y>"}"#
    XCTAssertEqual(masked(open), open)
  }

  func testJSONInAFieldOfAFormOrAQueryIsMasked() {
    let form = "data=%7B%22password%22%3A%22S3CRET%22%7D&page=1"
    XCTAssertEqual(
      masked(form, "application/x-www-form-urlencoded"), "data=%7B%22password%22%3A%22•••%22%7D&page=1")
    XCTAssertEqual(SecretMask().query("%7B%22pin%22%3A%22S3CRET%22%7D"), "%7B%22pin%22%3A%22•••%22%7D")
    XCTAssertFalse(masked(#"{"pin": "S3=CRET"}"#, "application/x-www-form-urlencoded").contains("CRET"))
    let request = HTTPRequest(url: "https://a/?filter=%7B%22token%22%3A%20%22S3CRET%22%7D")
    XCTAssertFalse(request.curlCommand().contains("S3CRET"), request.curlCommand())
  }

  func testAURLInAQueryOrInAStringIsMasked() {
    let inner = "https%3A%2F%2Fann%3AS3CRET%40b%2Fc%3Ftoken%3DS3CRET%26n%3D1"
    let query = SecretMask().query("next=\(inner)&page=2")
    XCTAssertEqual(query, "next=https%3A%2F%2F•••%40b%2Fc%3Ftoken%3D•••%26n%3D1&page=2")
    XCTAssertEqual(
      masked(#"{"next": "https://b/c?n=1&token=S3CRET"}"#), #"{"next": "https://b/c?n=1&token=•••"}"#)
    let parameters: Parameters = [
      "next": "https://b/?token=S3CRET", "state": #"{"otp": "S3CRET"}"#,
      "field": ["name": "password", "value": "S3CRET"],
    ]
    XCTAssertFalse("\(parameters)".contains("S3CRET"), "\(parameters)")
  }

  func testTextsThatAreNestedWithoutEndAreMaskedAsAWhole() {
    var text = "token=S3CRET"
    for _ in 0..<40 { text = "a=" + PercentEncoding.component.encode(text) }
    let masked = SecretMask().query(text)
    XCTAssertFalse(masked.contains("S3CRET"))
    XCTAssertTrue(masked.hasSuffix("•••"), masked)
  }

  func testTheValueOfASecretNameIsMaskedWhereTheNameIsAValueItself() {
    let rows = [
      #"{"name": "password", "value": "S3CRET", "n": 1}"#: #"{"name": "password", "value": "•••", "n": 1}"#,
      #"[{"value" : ["S3CRET", {"a": 1}] , "Name": "X-Api-Key"}, {"name": "city", "value": "Ames"}]"#:
        #"[{"value" : "•••" , "Name": "X-Api-Key"}, {"name": "city", "value": "Ames"}]"#,
      #"{"id": "pass\u0077ord", "type": {"name": "text"}, "value": 7}"#:
        #"{"id": "pass\u0077ord", "type": {"name": "text"}, "value": "•••"}"#,
      #"{"name": "city", "of": {"name": "pin", "value": "S3CRET"}, "value": "Ames"}"#:
        #"{"name": "city", "of": {"name": "pin", "value": "•••"}, "value": "Ames"}"#,
    ]
    for (text, expected) in rows { XCTAssertEqual(masked(text), expected) }
    for text in [#"{"value": {"a": ["S3CRET"]}, "name": "pin"#, #"{"name": "pin", "value": "S3CRET"#] {
      XCTAssertFalse(masked(text).contains("S3CRET"), masked(text))
    }
    let deep = String(repeating: "[", count: 3000) + #"{"pin": "S3CRET"}"#
    XCTAssertFalse(masked(deep).contains("S3CRET"))
    XCTAssertEqual(
      masked(#"]}"name": "pin", "value": "S3CRET" , {"pin": 1}"#),
      #"]}"name": "pin", "value": "•••" , {"pin":"•••"}"#, "what is no whole document")
  }

  func testAFoldedHeadOfAPartIsReadAsOneLine() {
    for fold in ["\r\n ", "\r\n\t", "\n  "] {
      let body =
        "--b\r\nContent-Disposition: form-data;\(fold)name=\"password\"\r\n\r\nS3CRET\r\n--b--\r\n"
      XCTAssertFalse(
        masked(body, "multipart/form-data; boundary=b").contains("S3CRET"), fold.debugDescription)
    }
  }

  func testASecretOfAURLIsMaskedUpToItsEnd() throws {
    XCTAssertEqual(header("Location", "https://b/c?code=S3?CRET&n=1"), "https://b/c?code=•••&n=1")
    XCTAssertEqual(header("Location", "/c?n=1?token=S3CRET"), "/c?n=1%3Ftoken%3D•••")
    XCTAssertEqual(header("Location", "/c;jsessionid=S3CRET?n=1"), "/c;jsessionid=•••?n=1")
    XCTAssertEqual(
      header("Link", "</c;jsessionid=S3CRET>; rel=next;type=a"), "</c;jsessionid=•••>; rel=next;type=a")
    XCTAssertEqual(header("Link", "<//ann:S3CRET@b/>; rel=next"), "<//•••@b/>; rel=next")
    for query in [
      "next=/c?password=S3CRET+S3CRET", "next=%2Fc%3Fpassword%3DS3CRET%20S3CRET",
      "next=%2Fc%3Fn%3D1%26password%3DS3CRET%20S3CRET%26m%3D2",
      "next=https%253A%252F%252Fb%252F%253Ftoken%253DS3CRET",
      "next=/c%?token=S3CRET", "next=%FF%3Ftoken%3DS3CRET", "next=%25FF%253Ftoken%253DS3CRET",
      "password=\u{301}S3CRET", "n=1&pin=\u{338}S3CRET",
    ] {
      let masked = SecretMask().query(query)
      XCTAssertFalse(masked.contains("S3CRET"), masked)
    }
    XCTAssertFalse(masked(#"{"next": "https%3A%2F%2Fb%2F%3Ftoken%3DS3CRET"}"#).contains("S3CRET"))
    let cookie = SecretMask().header(
      .init("Cookie", "a=\u{338}S3CRET; b=\u{301}S3CRET"), keepsCookieNames: true)
    XCTAssertEqual(cookie, "a=•••; b=•••")
    for open in [
      "q=100%25+of+a+b", "q=what%20is%20https%3A%2F%2Fb%2F%3Fn%3D1%20about", "q=a%3Db+c", "q=%2525",
    ] {
      XCTAssertEqual(SecretMask().query(open), open)
    }
  }

  func testEveryValueBesideASecretNameIsMasked() {
    XCTAssertEqual(
      masked(#"{"value": "S3CRET", "name": "password", "values": ["S3CRET"], "n": 1}"#),
      #"{"value": "•••", "name": "password", "values": "•••", "n": 1}"#)
    XCTAssertEqual(
      masked(#"{"value": "S3CRET", "value": "S3CRET", "key": "pin"}"#),
      #"{"value": "•••", "value": "•••", "key":"•••"}"#)
  }

  func testADelimiterInAPartEndsNoMask() {
    let body = "--B\r\nContent-Disposition: form-data; name=note\r\n\r\nsee --B-- there\r\n"
    let secret = "--B\r\nContent-Disposition: form-data; filename=\"\u{2028}\"; name=pin\r\n\r\n"
    XCTAssertEqual(
      masked(body + secret + "S3CRET\r\n--B--\r\n", "multipart/form-data; boundary=B"),
      body + secret + "•••\r\n--B--\r\n")
  }

  func testLoginsOfURLsInHeaderFieldsAreMasked() {
    XCTAssertEqual(
      header("Location", "https://ann:S3CRET@b/c?token=S3CRET#a"), "https://•••@b/c?token=•••#a")
    XCTAssertEqual(header("Location", "//ann:S3@CRET@b"), "//•••@b")
    XCTAssertEqual(header("Referer", "https://S3CRET@b/c"), "https://•••@b/c")
    // A mark behind a character, or a joining letter before it, makes another character of it.
    XCTAssertEqual(header("Referer", "https://S3CRET@\u{301}b/c"), "https://•••@\u{301}b/c")
    XCTAssertEqual(header("Referer", "https://\u{301}a:S3CRET@b/c"), "https://•••@b/c")
    XCTAssertEqual(header("Referer", "https://S3CRET\u{D4E}@b/c"), "https://•••@b/c")
    XCTAssertEqual(header("X-Original-URL", "/c?n=1&api_key=S3CRET"), "/c?n=1&api_key=•••")
    XCTAssertEqual(
      header("Link", "<https://b?page=2&sig=S3CRET>; rel=\"next\""),
      "<https://b?page=2&sig=•••>; rel=\"next\"")
    XCTAssertEqual(header("X-Context", #"{"token": "S3CRET"}"#), #"{"token":"•••"}"#)
    for value in ["https://b//c@d/e", "a@b.c", "text/html; q=0.8, */*", "[::1]", "//b/c@d"] {
      XCTAssertEqual(header("X-Open", value), value)
    }
  }

  func testACredentialAmongTheProtocolsOfAHandshakeIsMasked() {
    let rows = [
      "bearer, S3CRET.a.b, chat": "bearer, •••, chat", "chat,access_token,S3CRET": "chat,access_token,•••",
      "base64url.bearer.authorization.k8s.io.S3CRET, v4.channel.k8s.io":
        "base64url.bearer.•••, v4.channel.k8s.io",
      "graphql-transport-ws, mqtt": "graphql-transport-ws, mqtt", "token-S3CRET": "token-•••",
      "bearer": "bearer",
    ]
    for (value, expected) in rows { XCTAssertEqual(header("Sec-WebSocket-Protocol", value), expected) }
  }

  @MainActor func testAPlaceholderOfThePathIsMaskedWhereverTheURLIsPrinted() async throws {
    let stub = StubTransport()
    stub.on("/api/reset/S3CRET%2F1/step", .json("{}", status: 403))
    stub.on(.get, "/api/first/S3CRET%2F1", .redirect(to: "/api/second/S3CRET%2F1", status: 302))
    stub.on("/api/second/S3CRET%2F1", .status(403))
    for name in ["reset/{token}/step", "first/{token}"] {
      let manager = TestManager(TestService(stub))
      manager.apiName = name
      let error = try await errorThrown { () throws(APIError) in
        try await manager.response(["token": "S3CRET/1", "page": 1])
      }
      let request = try XCTUnwrap(error.request)
      XCTAssertTrue(stub.requests.last?.url.path.contains("S3CRET") == true)
      XCTAssertTrue(request.url.string.contains("S3CRET") && request.url.location.contains("S3CRET"))
      XCTAssertTrue(request.curlCommand(maskingSecrets: false).contains("S3CRET"))
      for text in [
        "\(request)", "\(request.url)", request.curlCommand(), error.response?.description ?? "",
        error.expandedDescription, error.record?.description ?? "",
      ] {
        XCTAssertFalse(text.isEmpty)
        XCTAssertFalse(text.contains("S3CRET"), text)
      }
      XCTAssertTrue(request.curlCommand().contains("/•••"), request.curlCommand())
    }
  }

  func testASecretOfAURLIsNotInALandingThatIsKept() throws {
    var url: HTTPURL = "https://a/reset/S3CRET?page=1&token=S3CRET"
    url.pathSecrets = PathSecrets(["token"], of: ["token": "S3CRET"])
    let bytes = QueuedLanding.response(HTTPResponse(status: 200, url: url)).encode()
    XCTAssertFalse(String(decoding: bytes, as: UTF8.self).contains("S3CRET"))
    guard case .response(let http)? = QueuedLanding(bytes) else { return XCTFail("it cannot be read") }
    XCTAssertEqual(http.url?.query?.hasPrefix("page=1&token=%E2"), true)
  }

  func testWhatOfAPathIsSecretMakesNoOtherURL() throws {
    var other: HTTPURL = "https://a/reset/S3CRET"
    other.pathSecrets = PathSecrets(["token", "id"], of: ["token": "S3CRET", "id": "a"])
    XCTAssertEqual(other, "https://a/reset/S3CRET")
    XCTAssertEqual(Set([other, "https://a/reset/S3CRET"]).count, 1)
    XCTAssertEqual("\(other)", "https://a/reset/•••")
    XCTAssertEqual("\(try other.resolving("../b/S3CRET.json?n=1"))", "https://a/b/•••?…")
  }
}
