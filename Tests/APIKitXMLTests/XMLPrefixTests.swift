@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitXML

/// The prefixes of the application on random documents, whose prefixes stand for other namespaces in each element.
final class XMLPrefixTests: XCTestCase {
  private static let prefixes = ["urn:1": "p", "urn:2": "q", "urn:3": ""]

  /// Writes a document, and what it means.
  private struct Document {
    var random: SeededGenerator
    var text = ""

    mutating func pick<Value>(_ values: [Value]) -> Value { values.randomElement(using: &random)! }

    /// An element in a scope of prefixes and their namespaces, and the name and the value that it is read as.
    mutating func element(_ depth: Int, in outer: [String: String]) -> (name: String, value: RawData) {
      var scope = outer
      var members: [(name: String, value: RawData)] = []
      var attributes: [String] = []
      for prefix in ["p", "q", "z"] where pick([true, false, false]) {
        let uri = pick(["urn:1", "urn:2", "urn:3", "urn:4", "urn:5"])
        scope[prefix] = uri
        attributes.append("xmlns:\(prefix)='\(uri)'")
        members.append(("@xmlns:\(prefix)", RawData(stringLiteral: uri)))
      }
      let (written, name) = name(in: scope)
      for _ in 0..<pick([0, 1, 2, 3]) {
        let (written, name) = self.name(in: scope)
        let value = RawData(stringLiteral: "\(attributes.count)")
        guard !members.contains(where: { $0.name == "@\(name)" }) else { continue }
        attributes.append("\(written)='\(attributes.count)'")
        members.append(("@\(name)", value))
      }
      text += "<" + ([written] + attributes.shuffled(using: &random)).joined(separator: " ") + ">"
      var children: [(name: String, value: RawData)] = []
      for _ in 0..<(depth < 4 ? pick([0, 1, 2, 3]) : 0) { children.append(element(depth + 1, in: scope)) }
      text += "</\(written)>"
      for child in children where !members.contains(where: { $0.name == child.name }) {
        let same = children.filter { $0.name == child.name }.map(\.value)
        members.append((child.name, same.count > 1 ? RawData(elements: same) : same[0]))
      }
      return (name, members.isEmpty ? "" : RawData(members: members))
    }

    /// A name as it is written, and as it is read.
    private mutating func name(in scope: [String: String]) -> (written: String, read: String) {
      let local = pick(["a", "b", "c"])
      guard let (prefix, uri) = scope.sorted(by: { $0.key < $1.key }).randomElement(using: &random),
        pick([true, true, false])
      else { return (local, local) }
      let isTaken = XMLPrefixTests.prefixes.values.contains(prefix)
      let read = XMLPrefixTests.prefixes[uri] ?? (isTaken ? "_" : "") + prefix
      return ("\(prefix):\(local)", read.isEmpty ? local : "\(read):\(local)")
    }
  }

  func testNamesOfRandomDocumentsAreThoseOfTheirNamespaces() throws {
    let decoder = XMLBodyDecoder(prefixes: Self.prefixes)
    for seed in UInt64(0)..<300 {
      var document = Document(random: SeededGenerator(seed: seed))
      let (name, value) = document.element(0, in: [:])
      let raw = try decoder.decode(Array(document.text.utf8))
      XCTAssertEqual(raw, RawData(members: [(name, value)]), document.text)
    }
  }
}

extension RawData {
  fileprivate init(elements: [RawData]) {
    let text = elements.map { $0.jsonText() }.joined(separator: ",")
    self = (try? RawData(parsing: "[\(text)]")) ?? .null
  }

  fileprivate init(members: [(name: String, value: RawData)]) {
    let text = members.map { "\"\($0.name)\":" + $0.value.jsonText() }.joined(separator: ",")
    self = (try? RawData(parsing: "{\(text)}")) ?? .null
  }
}
