import APIKit
import Foundation
import XCTest

final class BodyDecoderTests: XCTestCase {
  private let decoders = BodyDecoders.standard

  // MARK: Choosing

  func testTheContentTypeChoosesTheDecoder() {
    for type in [
      "application/json", "Application/JSON; charset=utf-8", "application/problem+json", "text/plain", nil,
      "",
    ] {
      XCTAssertTrue(decoders.decoder(for: type) is JSONBodyDecoder, type ?? "(none)")
    }
    XCTAssertTrue(decoders.decoder(for: "application/x-www-form-urlencoded") is FormBodyDecoder)
    for type in ["text/html", "application/xml", "image/png"] {
      XCTAssertNil(decoders.decoder(for: type), type)
    }
  }

  func testAnUnknownContentTypeIsRefusedByName() {
    XCTAssertThrowsError(try decoders.decode(Array("<html>".utf8), contentType: "text/html")) { error in
      XCTAssertEqual((error as? APIError)?.label, "response.unacceptable-content-type")
      XCTAssertEqual(
        (error as? APIError)?.detail,
        "no decoder reads text/html; register one with the service's decoders, or expect .bytes")
    }
    for (type, product) in [
      ("text/xml", "APIKitXML"), ("application/x-plist", "APIKitXML"), ("image/png", "APIKitImages"),
    ] {
      XCTAssertThrowsError(try decoders.decode([0], contentType: type)) { error in
        XCTAssertEqual(
          (error as? APIError)?.detail.contains("decoders (\(product) has it)"), true, "\(error)")
      }
    }
  }

  func testAnApplicationRegistersItsOwnAndRemovesOurs() throws {
    struct Lines: BodyDecoder {
      func decode(_ bytes: [UInt8], limits: RawData.Limits) throws(APIError) -> RawData {
        let lines = bytes.split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) }
        return try RawData(plain: ["lines": lines])
      }
    }
    var decoders = decoders
    decoders.register(Lines(), for: "text/*")
    XCTAssertEqual(try decoders.decode(Array("a\nb".utf8), contentType: "text/csv").lines[1].string, "b")
    XCTAssertTrue(decoders.decoder(for: "text/plain") is JSONBodyDecoder)
    decoders.remove("text/plain")
    XCTAssertTrue(decoders.decoder(for: "text/plain") is Lines)
    XCTAssertNil(decoders.decoder(for: "audio/ogg"))
    decoders.readsUnknownTypes = true
    XCTAssertTrue(decoders.decoder(for: "audio/ogg") is JSONBodyDecoder)
    decoders.fallback = nil
    XCTAssertNil(decoders.decoder(for: nil))
  }

  // MARK: Forms

  func testAFormIsAnObjectOfStrings() throws {
    let raw = try FormBodyDecoder().decode(
      Array("name=L%C3%ADn+Chen&age=41&tag=a&tag=b&empty=&bare&&odd=100%&x=%zz%4".utf8))
    XCTAssertEqual(raw.name.string, "Lín Chen")
    XCTAssertEqual(raw.age.lenientInt, 41)
    XCTAssertEqual(raw.tag.string, "b")
    XCTAssertEqual(raw.all(forKey: "tag").map(\.string), ["a", "b"])
    XCTAssertEqual(raw.empty.string, "")
    XCTAssertEqual(raw.bare.string, "")
    XCTAssertEqual(raw.odd.string, "100%")
    XCTAssertEqual(raw.x.string, "%zz%4")
    XCTAssertEqual(raw.count, 8)
    XCTAssertEqual(try FormBodyDecoder().decode([]).kind, .object)
    XCTAssertEqual(try FormBodyDecoder().decode(Array("a=%FF".utf8)).a.string, "\u{FFFD}")
  }
}
