import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitXML

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// The reader of XML against libxml2, through Foundation, on random documents. Mutations of them are for the reader
/// alone: Foundation's traps at an entity that nobody has declared and at some damaged tags.
final class XMLOracleTests: XCTestCase {
  func testTheReaderAgreesWithTheSystemsOnRandomDocuments() throws {
    var random = SeededGenerator(seed: 17)
    for _ in 0..<1500 {
      let bytes = Array(RandomXML.document(&random).utf8)
      let text = String(decoding: bytes, as: UTF8.self).debugDescription
      let theirs = try XCTUnwrap(SystemXML.json(of: bytes), "not read by the system: \(text)")
      let mine = try XMLBodyDecoder().decode(bytes)
      XCTAssertEqual(withoutSpaces(mine), withoutSpaces(try RawData(plain: theirs)), text)
    }
  }

  /// Foundation does not tell where the pieces of a text are, and the reader drops white space between tags.
  private func withoutSpaces(_ raw: RawData) -> String {
    ["\\n", "\\t", "\\r", " "].reduce(raw.jsonText(canonical: true)) { $0.replacing($1, with: "") }
  }

  /// `XML_FUZZ_INPUTS=1000000 swift test --filter XMLOracle` for more.
  func testNoMutationOfADocumentCrashesTheReader() {
    var random = SeededGenerator(seed: 18)
    var decoder = XMLBodyDecoder(arrays: ["b"], prefixes: ["u": "p"])
    decoder.maximumAttributes = 4
    let inputs = ProcessInfo.processInfo.environment["XML_FUZZ_INPUTS"].flatMap(Int.init) ?? 5000
    for _ in 0..<inputs {
      var bytes = Array(RandomXML.document(&random).utf8)
      for _ in 0..<Int.random(in: 1...8, using: &random) { RandomXML.mutate(&bytes, &random) }
      _ = try? decoder.decode(bytes)
      _ = try? PropertyListBodyDecoder().decode(bytes)
    }
  }
}

/// Random documents.
enum RandomXML {
  static func document(_ random: inout SeededGenerator) -> String {
    let head = ["", "<?xml version='1.0'?>", "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- x -->"]
    return (head.randomElement(using: &random) ?? "") + element(&random, 0)
      + (Bool.random(using: &random) ? "\n" : "")
  }

  private static func name(_ random: inout SeededGenerator) -> String {
    ["a", "b", "c", "p:d", "e-1", "_f.g"].randomElement(using: &random) ?? "a"
  }

  private static func element(_ random: inout SeededGenerator, _ depth: Int) -> String {
    let name = name(&random)
    var tag = "<\(name)"
    for attribute in ["x", "y", "xmlns:p"].shuffled(using: &random).prefix(
      Int.random(in: 0...2, using: &random))
    {
      tag += " \(attribute)=\(Bool.random(using: &random) ? "\"v&lt;\t'\"" : "'u'")"
    }
    if Bool.random(using: &random), depth > 0 { return tag + "/>" }
    var content = ""
    for _ in 0..<Int.random(in: 0...(depth > 3 ? 1 : 4), using: &random) {
      switch Int.random(in: 0..<9, using: &random) {
      case 0, 1:
        content += ["t", " ", "\n  ", "é苏", "1\r\n2", "a]b", "]]"].randomElement(using: &random) ?? ""
      case 2: content += ["&amp;", "&#65;", "&#x1F3E0;", "&lt;b>"].randomElement(using: &random) ?? ""
      case 3: content += "<![CDATA[<x>&]]>"
      case 4: content += "<!-- c - d -->"
      case 5: content += "<?pi data?>"
      default: content += element(&random, depth + 1)
      }
    }
    return "\(tag)>\(content)</\(name)>"
  }

  static func mutate(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
    guard !bytes.isEmpty else { return }
    let place = Int.random(in: 0..<bytes.count, using: &random)
    switch Int.random(in: 0..<5, using: &random) {
    case 0: bytes.remove(at: place)
    case 1: bytes.insert(Array("<>&/'\"= !?-]".utf8).randomElement(using: &random) ?? 0x3C, at: place)
    case 2: bytes[place] = UInt8.random(in: 0x20..<0x7F, using: &random)
    case 3: bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 1...6, using: &random)))
    default: bytes[place] = UInt8.random(in: 0...255, using: &random)
    }
  }
}

/// Foundation's reader, with what it tells put into the form of ``XMLBodyDecoder``.
private final class SystemXML: NSObject, XMLParserDelegate {
  private final class Element {
    let name: String
    var members: [(name: String, value: Any)] = []
    var text = ""
    var hasChildren = false
    init(_ name: String) { self.name = name }

    var value: Any {
      guard !members.isEmpty else { return text }
      var object: [String: Any] = [:]
      var counts: [String: Int] = [:]
      for (name, value) in members {
        counts[name, default: 0] += 1
        switch counts[name] {
        case 1: object[name] = value
        case 2: object[name] = [object[name] ?? "", value]
        default: object[name] = (object[name] as? [Any] ?? []) + [value]
        }
      }
      let isBlank = text.unicodeScalars.allSatisfy { " \n\t\r".unicodeScalars.contains($0) }
      if !text.isEmpty, !hasChildren || !isBlank { object["#text"] = text }
      return object
    }
  }

  private var open: [Element] = [Element("")]

  /// The document; nil when it is refused.
  static func json(of bytes: [UInt8]) -> Any? {
    let delegate = SystemXML()
    let parser = XMLParser(data: Data(bytes))
    parser.delegate = delegate
    guard parser.parse(), delegate.open.count == 1, let root = delegate.open[0].members.first else {
      return nil
    }
    return [root.name: root.value]
  }

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
    attributes: [String: String]
  ) {
    let element = Element(name)
    element.members = attributes.map { ("@\($0.key)", $0.value) }
    open.append(element)
  }

  func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?)
  {
    let element = open.removeLast()
    open[open.count - 1].members.append((element.name, element.value))
    open[open.count - 1].hasChildren = true
  }

  func parser(_ parser: XMLParser, foundCharacters string: String) { open[open.count - 1].text += string }

  func parser(_ parser: XMLParser, foundCDATA block: Data) {
    open[open.count - 1].text += String(decoding: block, as: UTF8.self)
  }
}
