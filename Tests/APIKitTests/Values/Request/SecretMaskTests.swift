import APIKitTesting
import XCTest

@testable import APIKit
@testable import APIKitOAuth

/// What is printed shows no secret: bodies of every form, and values of the framework.
final class SecretMaskTests: XCTestCase {
  private func masked(_ text: String, _ type: String?) -> String {
    String(decoding: SecretMask().body(Array(text.utf8), contentType: type), as: UTF8.self)
  }

  func testEachSecretOfJSONIsMaskedAndTheRestIsUnchanged() {
    for name in ["pwd", "pin", "otp", "passwd", "code", "client_assertion", "pass", "cvv"] {
      XCTAssertEqual(
        masked(#"{"user": "me", "\#(name)": "S3CRET", "n": [1, {"\#(name)" : 7}]}"#, "application/json"),
        #"{"user": "me", "\#(name)":"•••", "n": [1, {"\#(name)":"•••"}]}"#)
    }
  }

  func testNamesOfJSONAreComparedAsTheReceiverReadsThem() {
    for name in [#"pass\u0077ord"#, #"\u0070\u0069\u006e"#, #"p\/w\u0064token"#, #"a\q"#] {
      XCTAssertFalse(masked(#"{"\#(name)": "S3CRET"}"#, "application/json").contains("S3CRET"), name)
    }
    XCTAssertEqual(masked(#"{"cit\u0079": "Suzhou"}"#, "application/json"), #"{"cit\u0079": "Suzhou"}"#)
  }

  func testFormsAreMaskedWithAndWithoutAContentType() {
    for type in ["application/x-www-form-urlencoded; charset=utf-8", nil] {
      XCTAssertEqual(masked("user=me&p%69n=S3CRET&user[pwd]=S3CRET", type), "user=me&p%69n=•••&user[pwd]=•••")
    }
    XCTAssertFalse(masked("%zz=S3CRET", "application/x-www-form-urlencoded").contains("S3CRET"))
    XCTAssertEqual(masked("pin=1 is no form", "text/plain"), "pin=1 is no form")
  }

  func testAFormUnderTheTypeOfATextIsMasked() {
    for type in ["text/plain", "text/html; charset=utf-8"] {
      XCTAssertEqual(masked("access_token=S3CRET&scope=a", type), "access_token=•••&scope=a")
      XCTAssertEqual(masked("user=me\r\npassword=S3CRET\r\n", type), "user=me\r\npassword=•••\r\n")
    }
    XCTAssertEqual(masked(#"data: {"pin": "S3CRET"}"#, "text/event-stream"), #"data: {"pin":"•••"}"#)
    XCTAssertEqual(masked("https://h/?token=S3CRET", "text/plain"), "https://h/?token=•••")
  }

  func testAnExtendedNameOfAPartIsRead() {
    for name in [
      "name*=UTF-8''pass%77ord", "name=x; name*=utf-8'en'password", "name=password; name*=UTF-8''x",
    ] {
      XCTAssertEqual(
        masked(
          "--b\r\nContent-Disposition: form-data; \(name)\r\n\r\nS3CRET\r\n--b--\r\n",
          "multipart/form-data; boundary=b"),
        "--b\r\nContent-Disposition: form-data; \(name)\r\n\r\n•••\r\n--b--\r\n")
    }
  }

  func testAttributesOfHTMLWithoutQuotesAreMasked() {
    for (text, expected) in [
      ("<input name=csrf_token value=S3CRET>", "<input name=csrf_token value=•••>"),
      (
        "<input disabled value=S3CRET type=hidden name = 'password' checked>",
        "<input disabled value=••• type=hidden name = 'password' checked>"
      ),
      (
        "<p><INPUT name=password value=S3CRET><meta name=token content=x><b>Homes</b></p>",
        "<p><INPUT name=password value=•••><meta name=token content=x><b>Homes</b></p>"
      ),
      ("<p name=password>S3CRET<br>S3CRET</p><p>Homes</p>", "<p name=password>•••</p><p>Homes</p>"),
      ("<a href=/b?token=S3CRET&x=1>t</a>", "<a href=/b?token=•••&amp;x=1>t</a>"),
      ("<a data-token=S3CRET/>t", "<a data-token=•••>t"),
      ("<a data-token=", "<a data-token="), ("<a data-token=S3CRET", "<a data-token=•••"),
      ("<a x name=b>1</a><br/><i y=1/>", "<a x name=b>1</a><br/><i y=1/>"),
    ] {
      XCTAssertEqual(masked(text, "text/html"), expected)
    }
  }

  func testInXMLAnElementThatHTMLHasWithoutContentIsMaskedUpToItsEnd() {
    for type in ["application/xml", "application/xhtml+xml", nil] {
      XCTAssertEqual(
        masked("<a><input name='password'>S3CRET</input><b>1</b></a>", type),
        "<a><input name='password'>•••</input><b>1</b></a>")
      XCTAssertEqual(masked("<a><input name='password'>S3C", type), "<a><input name='password'>•••")
    }
  }

  func testPartsOfAFormAreMaskedAndTheOthersByTheirOwnType() {
    let body = """
      --b\r
      Content-Disposition: form-data; name="user"\r
      \r
      me\r
      --b\r
      Content-Disposition: form-data; name="password"\r
      \r
      S3CRET\r
      --b\r
      Content-Disposition: form-data; name="login"; filename="a.json"\r
      Content-Type: application/json\r
      \r
      {"pin": "S3CRET"}\r
      --b--\r

      """
    for type in [
      "multipart/form-data; boundary=b", "multipart/form-data; boundary=\"b\"", "multipart/form-data",
    ] {
      let text = masked(body, type)
      XCTAssertFalse(text.contains("S3CRET"), text)
      XCTAssertEqual(
        text,
        body.replacing(
          "S3CRET\r\n--b\r\nContent-Disposition: form-data; name=\"login\"",
          with: "•••\r\n--b\r\nContent-Disposition: form-data; name=\"login\""
        )
        .replacing(#""pin": "S3CRET""#, with: #""pin":"•••""#), type)
    }
  }

  func testABinaryPartDoesNotHideASecretBesideIt() {
    let body =
      Array(
        "--b\r\nContent-Disposition: form-data; name=\"pin\"\r\n\r\nS3CRET\r\n--b\r\nContent-Disposition: "
          .utf8)
      + Array("form-data; name=\"photo\"\r\n\r\n".utf8) + [0, 255, 254] + Array("\r\n--b--\r\n".utf8)
    let request = HTTPRequest(
      method: .post, url: "https://a", headers: ["Content-Type": "multipart/form-data; boundary=b"],
      body: .bytes(body))
    let text = request.curlCommand().split(separator: " ")[2]
    let decoded = Base64.decode(String(text)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    XCTAssertTrue(decoded.contains("photo"), decoded)
    XCTAssertFalse(decoded.contains("S3CRET"), decoded)
  }

  func testElementsAndAttributesOfXMLAreMasked() {
    let rows = [
      "<login><user>me</user><ns:Password>S3CRET</ns:Password></login>":
        "<login><user>me</user><ns:Password>•••</ns:Password></login>",
      "<password><a>S3CRET</a><password>S3CRET</password>S3CRET</password><n>1</n>":
        "<password>•••</password><n>1</n>",
      "<a pin='S3CRET' name=\"x\" token = \"S3CRET\"/>": "<a pin='•••' name=\"x\" token = \"•••\"/>",
      "<param name=\"pass&#119;ord\">S3CRET</param><param name=\"city\">Ames</param>":
        "<param name=\"pass&#119;ord\">•••</param><param name=\"city\">Ames</param>",
      "<entry key=\"otp\" value=\"S3CRET\"/>": "<entry key=\"otp\" value=\"•••\"/>",
      "<entry value='S3CRET' key='otp'/><n>1</n>": "<entry value='•••' key='otp'/><n>1</n>",
      "<pin><pin a='>'/>S3CRET</pin><n>1</n>": "<pin>•••</pin><n>1</n>",
      "<token><![CDATA[</token>S3CRET]]></token>": "<token>•••</token>",
      "<pin><pinned>S3CRET</pin><pinned>open</pinned>": "<pin>•••</pin><pinned>open</pinned>",
      "<dict><key>pin</key><string>S3CRET</string><key>n</key><integer>1</integer></dict>":
        "<dict><key>pin</key><string>•••</string><key>n</key><integer>1</integer></dict>",
      "<dict><key>p<!-- a -->&#105;<![CDATA[n]]></key><string>S3CRET</string></dict>":
        "<dict><key>p<!-- a -->&#105;<![CDATA[n]]></key><string>•••</string></dict>",
      "<dict><key>&nothing;</key><string>open</string><key>&#x70;in &</key><string>S3CRET</string></dict>":
        "<dict><key>&nothing;</key><string>open</string><key>&#x70;in &</key><string>•••</string></dict>",
      "<param name='p&#999999999;in'>open</param><param name='<![CDATA[pin'>S3CRET</param>":
        "<param name='p&#999999999;in'>open</param><param name='<![CDATA[pin'>•••</param>",
      "<!-- <pin> --><?pi <pin>?><city>Ames</city>": "<!-- <pin> --><?pi <pin>?><city>Ames</city>",
    ]
    for (text, expected) in rows { XCTAssertEqual(masked(text, "text/xml"), expected) }
    XCTAssertFalse(masked("<soap><pin>S3CRET</pin></soap>", nil).contains("S3CRET"))
  }

  func testNamesAndValuesInAPathAreMasked() {
    let url: HTTPURL = "https://homes.test/a;v=1;jsessionid=S3CRET/b;c?page=1"
    let mark = "%E2%80%A2%E2%80%A2%E2%80%A2"
    XCTAssertEqual(SecretMask().url(url), "https://homes.test/a;v=1;jsessionid=\(mark)/b;c?page=1")
    XCTAssertEqual(SecretMask(isOn: false).url(url), url.string)
  }

  func testAHostileMultipartBodyTakesNoLongTimeAndNoDeepStack() async throws {
    let start = ContinuousClock.now
    let many = String(repeating: "--B\r\n", count: 13_000)
    XCTAssertEqual(masked(many, "multipart/form-data; boundary=B"), many)
    XCTAssertLessThan(ContinuousClock.now - start, .seconds(20))
    var nested = ""
    for level in 1...20_000 {
      nested += "--\(level)\r\nContent-Type: multipart/mixed; boundary=\(level + 1)\r\n\r\n"
    }
    nested += "--20001\r\nContent-Disposition: form-data; name=pin\r\n\r\nS3CRET"
    let text = await BlockingWork.run { [nested] in
      String(
        decoding: SecretMask().body(Array(nested.utf8), contentType: "multipart/mixed; boundary=1"),
        as: UTF8.self)
    }
    XCTAssertTrue(text.hasPrefix("--1\r\nContent-Type: multipart/mixed; boundary=2\r\n"))
    XCTAssertFalse(text.contains("S3CRET"))
    XCTAssertLessThan(ContinuousClock.now - start, .seconds(20))
  }

  func testSecretsAreFoundInEveryCharset() throws {
    let texts = [
      ("application/json", #"{"name": "表", "password": "S3CRET"}"#, #"{"name": "表", "password":"•••"}"#),
      ("text/xml", "<a b=\"表\"><pin>S3CRET</pin></a>", "<a b=\"表\"><pin>•••</pin></a>"),
      ("application/x-www-form-urlencoded", "a=1&pin=S3CRET", "a=1&pin=•••"),
    ]
    for (type, text, expected) in texts {
      for (encoding, mark) in [
        (String.Encoding.utf16LittleEndian, [0xFF, 0xFE]), (.utf16BigEndian, [0xFE, 0xFF]),
        (.utf16LittleEndian, []),
        (.utf16BigEndian, []), (.utf32LittleEndian, [0xFF, 0xFE, 0, 0]),
        (.utf32BigEndian, [0, 0, 0xFE, 0xFF]),
        (.utf32LittleEndian, []), (.utf32BigEndian, []),
      ] as [(String.Encoding, [UInt8])] {
        let bytes = mark + (try XCTUnwrap(text.data(using: encoding)))
        let wanted = mark + (try XCTUnwrap(expected.data(using: encoding)))
        XCTAssertEqual(SecretMask().body(bytes, contentType: type), wanted, "\(type) in \(encoding)")
      }
      // In Shift_JIS the second byte of 表 is a backslash.
      let bytes = Array(try XCTUnwrap(text.data(using: .shiftJIS)))
      let masked = SecretMask().body(bytes, contentType: "\(type); charset=Shift_JIS")
      XCTAssertEqual(String(decoding: masked, as: UTF8.self), expected, type)
    }
    for type in [nil, "application/octet-stream"] {
      XCTAssertEqual(masked("\u{FEFF}{\"pin\": \"S3CRET\"}", type), "\u{FEFF}{\"pin\":\"•••\"}")
      XCTAssertEqual(masked("\u{FEFF}<a><pin>S3CRET</pin></a>", type), "\u{FEFF}<a><pin>•••</pin></a>")
    }
    let declared = #"<?xml version="1.0" encoding="windows-1252"?><a b="é"><pin>S3CRET</pin></a>"#
    let bytes = Array(try XCTUnwrap(declared.data(using: .windowsCP1252)))
    let masked = String(decoding: SecretMask().body(bytes, contentType: nil), as: UTF8.self)
    XCTAssertTrue(masked.hasSuffix("<a b=\"é\"><pin>•••</pin></a>"), masked)
    for type in [nil, "image/png", "application/octet-stream", "text/plain; charset=nonsense"] {
      let binary = (0..<5000).map { UInt8(truncatingIfNeeded: $0 * $0 >> 3) }
      for bytes in [binary, [0x7B, 0] + binary, [0xFF, 0xFE] + binary] {
        XCTAssertEqual(
          SecretMask().body(bytes, contentType: type), bytes, "what has no secret stays as it is")
      }
    }
  }

  func testTextThatIsCutAnywhereUpsetsNoMaskAndShowsNoSecret() {
    let whole = [
      ("application/json", #"{"a":[{"password":"S3CRET","b":{"pin":["S3CRET"]}}]}"#),
      ("text/xml", "<a pin=\"S3CRET\"><token>S3CRET</token><dict><key>pin</key><b>S3CRET</b></dict></a>"),
      (
        "multipart/form-data; boundary=b",
        "--b\r\nContent-Disposition: form-data; name=pin\r\n\r\nS3CRET\r\n--b--\r\n"
      ),
      ("application/x-www-form-urlencoded", "a=1&pin=S3CRET"),
    ]
    for (type, text) in whole {
      for length in 0...text.utf8.count {
        let cut = String(decoding: Array(text.utf8).prefix(length), as: UTF8.self)
        XCTAssertFalse(masked(cut, type).contains("S3C"), cut)
      }
    }
  }

  func testPrintingAndDumpingValuesShowsNoSecret() throws {
    var configuration = OAuthConfiguration(
      clientID: "app", authorizationEndpoint: "https://id/authorize", tokenEndpoint: "https://id/token")
    configuration.proof = .basic(secret: "S3CRET")
    configuration.extraParameters = ["client_secret": "S3CRET"]
    let oauth = OAuthClient(configuration, client: HTTPClient(transport: StubTransport()))
    let authorization = try oauth.authorization(redirectURI: "com.example:/back")
    let parameters: Parameters = [
      "city": "Ames", "password": "S3CRET", "card": ["cvc": "S3CRET"], "list": [["pin": "S3CRET"]],
    ]
    let source = ReformSource(managerType: Int.self, parameters: parameters)
    var request = HTTPRequest(
      method: .post, url: "https://a/b?token=S3CRET", headers: ["X-Api-Key": "S3CRET"],
      body: .bytes(Array("pin=S3CRET".utf8)))
    request.options.login = HTTPLogin(user: "me", password: "S3CRET")
    let values: [Any] = [
      configuration, oauth, authorization, parameters, source, request, request.headers,
      Optional(HTTPLogin(user: "me", password: "S3CRET")) as Any, parameters["card"] as Any,
      ClientIdentity.pkcs12(.bytes([1]), password: "S3CRET"),
      OAuthConfiguration.ClientProof.post(secret: "S3CRET"), request.url,
      HTTPRedirect(url: request.url, status: 302), Cookie("sid", "S3CRET", domain: "a"),
    ]
    for value in values {
      var dumped = ""
      dump(value, to: &dumped)
      for text in ["\(value)", String(reflecting: value), dumped] {
        for secret in ["S3CRET", authorization.state, authorization.verifier] {
          XCTAssertFalse(text.contains(secret), "\(type(of: value)): \(text)")
        }
      }
    }
    XCTAssertEqual("\(parameters)", "city=Ames, password=•••, card={cvc=•••}, list=[{pin=•••}]")
  }
}
