import XCTest

@testable import APIKit
@testable import APIKitXML

/// What documents cost that were made to be costly.
final class XMLCostTests: XCTestCase {
  /// Names of one from each pair, in their order, have one FNV-1a hash of 32 bits.
  private let colliding = [
    ("alCxh", "ap2la"), ("azEnS", "aBcZa"), ("afCpj", "aB0ta"), ("ah3lh", "aDBxa"), ("akM8f", "aw2La"),
    ("afCxh", "az2la"), ("azEnS", "aBcZa"), ("afCpj", "aB0ta"), ("ah3lh", "aDBxa"), ("akM8f", "aw2La"),
    ("afCxh", "az2la"), ("azEnS", "aBcZa"), ("afCpj", "aB0ta"),
  ]

  private func time(_ xml: String, _ decoder: XMLBodyDecoder = XMLBodyDecoder()) throws -> Duration {
    let bytes = Array(xml.utf8)
    return try ContinuousClock().measure { _ = try decoder.decode(bytes) }
  }

  func testNamesThatCollideTakeNoLongTime() throws {
    var (xml, plain) = ("<r>", "<r>")
    for number in 0..<(1 << colliding.count) {
      let name = colliding.enumerated().map { number >> $0 & 1 == 1 ? $1.1 : $1.0 }.joined()
      xml += "<\(name)/><\(name)/>"
      plain += "<\(name)\(number)/><\(name)\(number)/>"
    }
    XCTAssertLessThan(try time(xml + "</r>") / time(plain + "</r>"), 15)
    let raw = try XMLBodyDecoder().decode(Array((xml + "</r>").utf8))
    XCTAssertEqual(raw.r.count, 1 << colliding.count)
    XCTAssertEqual(raw.r.members.map { $0.value.count }.max(), 2)
  }

  func testManyDeclarationsOfNamespacesTakeNoLongTime() throws {
    var (xml, end) = ("", "")
    for depth in 0..<30 {
      xml += "<r" + (0..<200).map { " xmlns:a\(depth)x\($0)='u'" }.joined() + ">"
      end += "</r>"
    }
    xml += String(repeating: "<b:c/>", count: 10_000) + end
    XCTAssertLessThan(try time(xml, XMLBodyDecoder(prefixes: ["z": "z"])) / time(xml), 15)
  }
}
