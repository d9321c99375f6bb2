import Foundation
import XCTest

@testable import APIKit

/// The one form of what is written to disk.
final class EnvelopeTests: XCTestCase {
  private let envelope = Envelope(kind: .credential, version: 2)
  private let key = StorageKey([UInt8](repeating: 7, count: 32))!
  private let secret = Array("a token".utf8)

  private func fault(_ work: () throws -> [UInt8]) -> String? {
    do {
      let content = try work()
      XCTFail("it opened: \(content)")
      return nil
    } catch {
      return "\(error)"
    }
  }

  private func unwrap(_ bytes: [UInt8], _ envelope: Envelope) throws -> [UInt8] {
    try bytes.withUnsafeBytes { Array(try envelope.unwrap($0)) }
  }

  func testOpenContentComesBackFromItsOwnKindOfEnvelopeAlone() throws {
    let bytes = envelope.wrap(secret)
    XCTAssertEqual(Array(bytes.prefix(6)), Array("APIK".utf8) + [2, 2])
    XCTAssertEqual(bytes.count, Envelope.headLength + Envelope.checksumLength + secret.count)
    XCTAssertEqual(try unwrap(bytes, envelope), secret)
    XCTAssertEqual(
      fault { try unwrap(bytes, Envelope(kind: .cookies, version: 2)) }, "holds a credential, not cookies")
    var unknown = bytes
    unknown[4] = 200
    XCTAssertEqual(
      fault { try unwrap(unknown, envelope) }, "holds content of the unknown kind 200, not a credential")
    XCTAssertEqual(fault { try unwrap(Array("{}".utf8), envelope) }, "is no file of this framework")
    XCTAssertEqual(
      fault { try unwrap(bytes, Envelope(kind: .credential)) }, "has the form 2 of a later version")
    XCTAssertEqual(
      fault { try unwrap(bytes, Envelope(kind: .credential, version: 3)) },
      "has the form 2, which is not read any more")
    for count in 0..<bytes.count {
      XCTAssertNotNil(fault { try unwrap(Array(bytes.prefix(count)), envelope) })
    }
  }

  func testOpenContentWithAChangedBitIsNeverRead() throws {
    for kind in Envelope.EnvelopeKind.allCases where Envelope(kind: kind).version > 1 {
      let bytes = Envelope(kind: kind).wrap(secret)
      for bit in 0..<bytes.count * 8 {
        var changed = bytes
        changed[bit / 8] ^= 1 << UInt8(bit % 8)
        XCTAssertNotNil(fault { try unwrap(changed, Envelope(kind: kind)) }, "\(kind.name), bit \(bit)")
      }
    }
  }

  func testTheChecksumStandsBeforeTheContent() throws {
    let bytes = Envelope(kind: .queuedLanding).wrap(Array("123456789".utf8))
    let sum = Checksum.of(Array("123456789".utf8))
    XCTAssertEqual(
      Array(bytes[5..<22]),
      [2] + [UInt8](repeating: 0, count: 8) + (0..<8).map { UInt8(truncatingIfNeeded: sum >> (8 * $0)) })
    XCTAssertEqual(try unwrap(Envelope(kind: .queuedLanding).wrap([]), Envelope(kind: .queuedLanding)), [])
  }

  func testContentOfARowHasItsChecksumInTheRowAlone() throws {
    let bytes = Envelope(kind: .queuedItem).wrap(secret)
    XCTAssertEqual(bytes, Envelope(kind: .queuedItem, version: 1).wrap(secret))
    let earlier = Envelope(kind: .queuedItem, version: 2).wrap(secret)
    XCTAssertEqual(earlier.count, bytes.count + Envelope.checksumLength)
    XCTAssertEqual(try unwrap(earlier, Envelope(kind: .queuedItem)), secret, "version 0.2.0 wrote both")
  }

  func testOpenContentOfTheVersionBeforeTheChecksumIsRead() throws {
    let bytes = Envelope(kind: .queuedLanding, version: 1).wrap(secret)
    XCTAssertEqual(bytes.count, Envelope.headLength + secret.count)
    XCTAssertEqual(try unwrap(bytes, Envelope(kind: .queuedLanding)), secret)
    XCTAssertEqual(
      fault {
        try unwrap(Envelope(kind: .uploadJournal, version: 1).wrap(secret), Envelope(kind: .uploadJournal))
      },
      "has the form 1, which is not read any more")
  }

  func testSealedContentOpensUnderItsKeyAtItsPlaceAlone() throws {
    let sealed = try XCTUnwrap(envelope.seal(secret, under: key, at: "ann".utf8))
    XCTAssertEqual(sealed.count, Envelope.sealedOverhead + secret.count)
    XCTAssertNil(Data(sealed).range(of: Data(secret)))
    XCTAssertEqual(try envelope.open(sealed, under: key, at: "ann".utf8), secret)
    let other = try XCTUnwrap(StorageKey([UInt8](repeating: 8, count: 32)))
    XCTAssertEqual(
      fault { try envelope.open(sealed, under: other, at: "ann".utf8) }, "was sealed under another key")
    XCTAssertEqual(
      fault { try envelope.open(sealed, under: key, at: "bob".utf8) }, "was damaged, or belongs elsewhere")
    for index in sealed.indices {
      var changed = sealed
      changed[index] ^= 1
      XCTAssertNotNil(fault { try envelope.open(changed, under: key, at: "ann".utf8) }, "byte \(index)")
    }
  }

  /// Type and version are authenticated: writing others into the head does not make it another content.
  func testSealedContentDoesNotOpenAsAnotherTypeOrVersion() throws {
    var sealed = try XCTUnwrap(envelope.seal(secret, under: key, at: []))
    sealed[4] = Envelope.EnvelopeKind.cookies.rawValue
    XCTAssertEqual(
      fault { try Envelope(kind: .cookies, version: 2).open(sealed, under: key, at: []) },
      "was damaged, or belongs elsewhere")
    sealed[4] = Envelope.EnvelopeKind.credential.rawValue
    sealed[5] = 1
    XCTAssertEqual(
      fault { try Envelope(kind: .credential).open(sealed, under: key, at: []) },
      "was damaged, or belongs elsewhere")
  }

  func testWhatShouldBeSealedDoesNotOpenUnsealed() throws {
    XCTAssertNotNil(fault { try envelope.open(envelope.wrap(secret), under: key, at: []) })
    let sealed = try XCTUnwrap(envelope.seal(secret, under: key, at: []))
    XCTAssertNotNil(fault { try unwrap(sealed, envelope) })
  }

  func testAKeyHas32BytesAndIsNotPrinted() throws {
    for count in [0, 16, 31, 33] { XCTAssertNil(StorageKey([UInt8](repeating: 1, count: count))) }
    var dumped = ""
    dump(key, to: &dumped)
    for text in ["\(key)", String(reflecting: key), dumped] { XCTAssertFalse(text.contains("7"), text) }
    XCTAssertNotEqual(key.id, StorageKey([UInt8](repeating: 8, count: 32))?.id)
  }
}
