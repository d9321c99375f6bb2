import APIKit
import APIKitXML
import Foundation
import XCTest

/// Throws damaged documents at the readers. None may crash, and what is accepted must be what a second,
/// slow and simple reader of the grammar accepts.
///
/// Some thousand inputs a run; `RAW_FUZZ_INPUTS=1000000 swift test --filter RawFuzz` for more, and
/// `RAW_FUZZ_SEED` for others.
final class RawFuzzTests: XCTestCase {
  private static func setting(_ name: String) -> UInt64? {
    ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
  }

  private let inputs = Int(setting("RAW_FUZZ_INPUTS") ?? 4000)
  private let seed = setting("RAW_FUZZ_SEED") ?? 20_260_301

  private let documents = [
    #"{"id":7,"name":"Lin \"x\" \u00e9\ud83c\udfe0","price":-12.50e+3,"tags":["a",[],{}],"open":true,"n":null}"#,
    #"[[[[1,2],[3,[4,[5]]]]],{"a":{"b":{"c":[false]}}},"阳光充足的两居室 é","",0.1,1e400,-0,18446744073709551615]"#,
    " {\n  \"when\" : \"2026-03-01T08:30:00.5+08:00\" ,\r\n\t\"data\": \"AAECAw==\", \"url\": \"https:\\/\\/a.b\" }\n",
    #"{"a":1,"a":2,"\u0061":3,"long key that does not fit in a small string":"value of more than sixteen bytes"}"#,
    #""\ud800 \udc00 \uFFFF \u0000 \\ \/ plain""#,
    "123456789012345678901234567890.123456789e-20",
  ].map { Array($0.utf8) }

  func testDamagedJSONNeverCrashesAndIsJudgedAsByTheGrammar() {
    var generator = Mutator(seed: seed)
    var accepted = 0
    for number in 0..<inputs {
      let bytes = generator.damaged(documents)
      let raw = try? RawData(parsing: bytes)
      let isGood = RawRecognizer.accepts(bytes)
      guard (raw != nil) == isGood else {
        return XCTFail("input \(number) is \(isGood ? "good" : "bad"): \(bytes)")
      }
      guard let raw else { continue }
      accepted += 1
      let canonical = raw.jsonBytes(canonical: true)
      guard let again = try? RawData(parsing: canonical), again.jsonBytes(canonical: true) == canonical,
        let compact = try? RawData(parsing: raw.jsonBytes()), compact == raw
      else { return XCTFail("input \(number) does not survive its own writing: \(bytes)") }
      visit(raw)
    }
    XCTAssertGreaterThan(accepted, inputs / 50)
  }

  func testDamagedPropertyListsAndFormsNeverCrash() throws {
    let list: [String: Any] = [
      "text": "Lin & <é>", "count": 42, "share": 0.25, "open": true, "when": Date(timeIntervalSince1970: 1),
      "data": Data([0, 1, 2]), "list": [1, "two", [3]] as [Any], "many": Array(0..<20), "中文": "阳光",
    ]
    let lists = try [PropertyListSerialization.PropertyListFormat.xml, .binary].map {
      [UInt8](try PropertyListSerialization.data(fromPropertyList: list, format: $0, options: 0))
    }
    let forms = [Array("name=L%C3%ADn+Chen&tag=a&tag=b&empty=&bare&&odd=100%".utf8)]
    var generator = Mutator(seed: seed)
    var accepted = 0
    for _ in 0..<inputs / 4 {
      if let raw = try? PropertyListBodyDecoder().decode(generator.damaged(lists)) {
        visit(raw)
        accepted += 1
      }
      if let raw = try? FormBodyDecoder().decode(generator.damaged(forms)) { visit(raw) }
    }
    XCTAssertGreaterThan(accepted, 0)
  }

  /// Reads everything in every way.
  private func visit(_ raw: RawData) {
    _ = (raw.string, raw.int, raw.double, raw.bool, raw.decimal, raw.date, raw.url, raw.data, raw.float32)
    _ = (raw.lenientInt, raw.lenientDouble, raw.lenientBool, raw.integer(UInt8.self), raw.any)
    _ = (raw.absent.path, raw.unexpected("nothing"), raw.duplicateKeys)
    XCTAssertEqual(raw.elements.reduce(0) { count, _ in count + 1 }, raw.kind == .array ? raw.count : 0)
    for element in raw.elements { visit(element) }
    for (key, value) in raw.members {
      XCTAssertTrue(raw[key].exists)
      visit(value)
    }
  }
}

extension RawData {
  fileprivate var float32: Float? { try? decode(as: Float.self) }
}

/// Damages documents: the same sequence for the same seed.
private struct Mutator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  private mutating func next(_ bound: Int) -> Int {
    // SplitMix64.
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return Int((value ^ (value >> 31)) % UInt64(bound))
  }

  mutating func damaged(_ documents: [[UInt8]]) -> [UInt8] {
    var bytes = documents[next(documents.count)]
    let tokens =
      Array("{}[]\",:\\/u09-+.eEtfn \n\u{0}\u{7F}".utf8) + [0x80, 0xBF, 0xC2, 0xE0, 0xED, 0xF0, 0xF4, 0xFF]
    for _ in 0...next(4) {
      guard !bytes.isEmpty else { break }
      let place = next(bytes.count)
      let length = min(1 + next(8), bytes.count - place)
      switch next(8) {
      case 0: bytes[place] = UInt8(next(256))
      case 1: bytes[place] = tokens[next(tokens.count)]
      case 2: bytes.insert(tokens[next(tokens.count)], at: place)
      case 3: bytes.removeSubrange(place..<place + length)
      case 4: bytes.insert(contentsOf: bytes[place..<place + length], at: next(bytes.count))
      case 5: bytes.removeLast(next(bytes.count))
      case 6:
        let other = documents[next(documents.count)]
        bytes.insert(contentsOf: other.prefix(next(other.count)), at: place)
      default: bytes[place] ^= 1 << UInt8(next(8))
      }
    }
    return bytes
  }
}
