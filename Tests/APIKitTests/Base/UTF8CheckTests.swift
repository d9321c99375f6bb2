@testable import TestSupport
import XCTest

@testable import APIKit

final class UTF8CheckTests: XCTestCase {
  private func isValid(_ bytes: [UInt8], piece: Int) -> Bool {
    var check = UTF8Check()
    var index = 0
    while index < bytes.count {
      let part = Array(bytes[index..<min(bytes.count, index + piece)])
      guard part.withUnsafeBytes({ check.take($0) }) else { return false }
      index += piece
    }
    return check.isComplete
  }

  func testItAgreesWithTheStandardLibraryInPiecesOfAnySize() {
    var generator = SeededGenerator(seed: 8)
    let leads: [UInt8] = [0x41, 0x7F, 0x80, 0xBF, 0xC1, 0xC2, 0xDF, 0xE0, 0xED, 0xEF, 0xF0, 0xF4, 0xF5, 0xFF]
    let tails: [UInt8] = [0x00, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0]
    for _ in 0..<20_000 {
      var bytes = [UInt8](repeating: 0x61, count: Int.random(in: 0...17, using: &generator))
      bytes.append(leads.randomElement(using: &generator) ?? 0)
      for _ in 0..<Int.random(in: 0...4, using: &generator) {
        bytes.append(tails.randomElement(using: &generator) ?? 0)
      }
      let expected = String(wellFormed: bytes, as: UTF8.self) != nil
      for piece in [1, 3, 100] { XCTAssertEqual(isValid(bytes, piece: piece), expected, "\(bytes)") }
    }
  }

  func testEveryCharacterIsValid() {
    for value in stride(from: UInt32(0), through: 0x10FFFF, by: 7) {
      guard let scalar = Unicode.Scalar(value) else { continue }
      XCTAssertTrue(isValid(Array(String(Character(scalar)).utf8), piece: 1))
    }
  }
}
