import APIKit
import Foundation
@testable import TestSupport
import XCTest

/// What a type encodes must be what Foundation's encoder makes of it, in whatever order it asks for its containers.
final class ParameterEncoderTests: XCTestCase {
  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  /// Asks for containers and encodes into them as a seed has it.
  private final class Random: Encodable {
    private var random: SeededGenerator
    private var depth = 0

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    func encode(to encoder: any Encoder) throws {
      depth += 1
      defer { depth -= 1 }
      switch depth < 4 ? Int.random(in: 0..<6, using: &random) : 5 {
      case 0...2:
        for _ in 0..<Int.random(in: 1...2, using: &random) {
          var container = encoder.container(keyedBy: Key.self)
          try members(&container)
        }
      case 3, 4:
        for _ in 0..<Int.random(in: 1...2, using: &random) {
          var container = encoder.unkeyedContainer()
          try elements(&container)
        }
      default:
        var container = encoder.singleValueContainer()
        try container.encode(Int.random(in: 0..<100, using: &random))
      }
    }

    private func members(_ container: inout KeyedEncodingContainer<Key>) throws {
      depth += 1
      defer { depth -= 1 }
      for _ in 0..<Int.random(in: 0...5, using: &random) {
        let key = Key(stringValue: ["a", "b", "ab", "super"].randomElement(using: &random)!)
        switch Int.random(in: 0..<(depth < 5 ? 10 : 4), using: &random) {
        case 0: try container.encode(Int.random(in: 0..<100, using: &random), forKey: key)
        case 1: try container.encodeNil(forKey: key)
        case 2: try container.encode([1: "x", 2: "y"], forKey: key)
        case 3: try container.encodeIfPresent(Bool.random(using: &random) ? "x" : nil, forKey: key)
        case 4, 5:
          // Two kinds of container under one name stop Foundation's encoder.
          var nested = container.nestedContainer(keyedBy: Key.self, forKey: Key(stringValue: "object"))
          try members(&nested)
        case 6, 7:
          var nested = container.nestedUnkeyedContainer(forKey: Key(stringValue: "array"))
          try elements(&nested)
        case 8: try encode(to: container.superEncoder(forKey: key))
        default: try container.encode(self, forKey: key)
        }
      }
    }

    private func elements(_ container: inout any UnkeyedEncodingContainer) throws {
      depth += 1
      defer { depth -= 1 }
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        switch Int.random(in: 0..<(depth < 5 ? 6 : 2), using: &random) {
        case 0: try container.encode("x")
        case 1: try container.encodeNil()
        case 2:
          var nested = container.nestedContainer(keyedBy: Key.self)
          try members(&nested)
        case 3:
          var nested = container.nestedUnkeyedContainer()
          try elements(&nested)
        case 4: try encode(to: container.superEncoder())
        default: try container.encode(self)
        }
      }
    }
  }

  func testRandomTypesAreEncodedAsByFoundation() throws {
    for seed in UInt64(0)..<300 {
      let plain = try JSONEncoder().encode([Random(seed: seed)])
      XCTAssertEqual(
        try RawData(encoding: [Random(seed: seed)]), try RawData(parsing: Array(plain)), "seed \(seed)")
    }
  }

  func testAClassAndItsSuperclassWriteToOneNestedContainer() throws {
    class Place: Encodable {
      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        var nested = container.nestedContainer(keyedBy: Key.self, forKey: Key(stringValue: "attributes"))
        try nested.encode(1, forKey: Key(stringValue: "id"))
      }
    }
    final class Home: Place {
      override func encode(to encoder: any Encoder) throws {
        try super.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        var nested = container.nestedContainer(keyedBy: Key.self, forKey: Key(stringValue: "attributes"))
        try nested.encode(3, forKey: Key(stringValue: "beds"))
      }
    }
    XCTAssertEqual(try RawData(encoding: Home()).jsonText(), #"{"attributes":{"id":1,"beds":3}}"#)
  }
}
