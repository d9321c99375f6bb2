import APIKit
import APIKitImages
import APIKitXML
import Foundation

/// What libFuzzer calls with each input: readers and machines must neither crash nor disagree with themselves.
///
/// Every input goes through all readers of bodies and through the machines of the room Socket, to which it comes in
/// pieces of any size (``ChunkingOracle``). JSON is judged by ``RawRecognizer`` too, the plain reader of
/// the grammar that the tests use.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  var json: RawData?
  do throws(APIError) {
    json = try RawData(parsing: bytes, limits: limits)
    check(RawRecognizer.accepts(bytes), "the parser accepts what the grammar does not")
  } catch {
    check(
      error.reason == .bodyLimitExceeded || !RawRecognizer.accepts(bytes),
      "the parser refuses what the grammar accepts")
  }
  let list = try? PropertyListBodyDecoder().decode(bytes, limits: limits)
  let form = try? FormBodyDecoder().decode(bytes, limits: limits)
  for raw in [json, list, form] {
    guard let raw else { continue }
    visit(raw)
    writeBack(raw)
  }
  if let xml = try? XMLBodyDecoder(arrays: ["a"], prefixes: ["u": "p"]).decode(bytes, limits: limits) {
    visit(xml, isXML: true)
  }
  if let text = try? TextBodyDecoder().decode(bytes, limits: limits) { writeBack(text) }
  if let head = ImageHead(of: bytes) {
    check(head.pixelCount ?? 1 > 0 && (1...8).contains(head.orientation), "an image without pixels")
  }
  if let complaint = ChunkingOracle.complaint(about: bytes) { fatalError(complaint) }
  return 0
}

/// As deep as a document may be.
private let limits = RawData.Limits(maximumDepth: RawData.Limits.hardMaximumDepth)

/// As `precondition`, which keeps its words to itself in release mode.
private func check(_ condition: Bool, _ complaint: String) {
  if !condition { fatalError(complaint) }
}

/// Writes a value and reads it again: equal, and written the same.
private func writeBack(_ raw: RawData) {
  let (compact, canonical) = (raw.jsonBytes(), raw.jsonBytes(canonical: true))
  guard let again = try? RawData(parsing: compact, limits: limits),
    let sorted = try? RawData(parsing: canonical, limits: limits)
  else { fatalError("what was written cannot be read") }
  check(again == raw, "what was written is another value")
  check(again.jsonBytes() == compact, "written again, it is another text")
  check(sorted.jsonBytes(canonical: true) == canonical, "the canonical text is not stable")
}

/// Reads everything in every way.
private func visit(_ raw: RawData, isXML: Bool = false) {
  _ = (raw.string, raw.int, raw.double, raw.bool, raw.decimal, raw.date, raw.url, raw.data)
  _ = (raw.lenientString, raw.lenientInt, raw.lenientDouble, raw.lenientBool, raw.integer(UInt8.self))
  _ = (raw.absent.path, raw.unexpected("nothing"), raw.duplicateKeys, try? raw.decode(as: Float.self))
  var elements = 0
  // An element of XML that stands once is its own only element.
  for element in raw.elements where !isXML || raw.kind == .array {
    visit(element, isXML: isXML)
    elements += 1
  }
  check(elements == (raw.kind == .array ? raw.count : 0), "an array miscounts its elements")
  for (key, value) in raw.members {
    check(raw[key].exists, "a member cannot be found by its own name")
    visit(value, isXML: isXML)
  }
}
