/// A JSON document to be written: indented, one field a line, the members of an object sorted, so that two versions of
/// a file differ in few lines.
package indirect enum JSONTree: Sendable {
  case object([String: JSONTree])
  case array([JSONTree])
  case string(String)
  case integer(Int64)
  case double(Double)
  case bool(Bool)
  case null

  /// The document with a line end. A number that JSON cannot write is `null`.
  package var bytes: [UInt8] {
    var output: [UInt8] = []
    append(to: &output, depth: 0)
    output.append(UInt8(ascii: "\n"))
    return output
  }

  /// The document without line ends and spaces, for a wire.
  package var compactBytes: [UInt8] {
    var output: [UInt8] = []
    append(to: &output, depth: nil)
    return output
  }

  /// - Parameter depth: How deep the value is; nil writes it without line ends.
  private func append(to output: inout [UInt8], depth: Int?) {
    let inner = depth.map { $0 + 1 }
    switch self {
    case .object(let members):
      let sorted = members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
      Self.append(sorted, between: ("{", "}"), to: &output, depth: depth) { member, output in
        RawWriter.append(string: member.key.utf8, to: &output)
        output += (depth == nil ? ":" : ": ").utf8
        member.value.append(to: &output, depth: inner)
      }
    case .array(let elements):
      Self.append(elements, between: ("[", "]"), to: &output, depth: depth) {
        $0.append(to: &$1, depth: inner)
      }
    case .string(let text): RawWriter.append(string: text.utf8, to: &output)
    case .integer(let number): output += String(number).utf8
    case .double(let number): output += (number.isFinite ? RawWriter.ecmaScript(number) : "null").utf8
    case .bool(let flag): output += (flag ? "true" : "false").utf8
    case .null: output += "null".utf8
    }
  }

  private static func append<Element>(
    _ elements: [Element], between marks: (open: String, close: String), to output: inout [UInt8],
    depth: Int?,
    write: (Element, inout [UInt8]) -> Void
  ) {
    func beginLine(_ indentation: Int) {
      guard let depth else { return }
      output.append(UInt8(ascii: "\n"))
      output.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * (depth + indentation)))
    }
    output += marks.open.utf8
    for (index, element) in elements.enumerated() {
      if index > 0 { output.append(UInt8(ascii: ",")) }
      beginLine(1)
      write(element, &output)
    }
    if !elements.isEmpty { beginLine(0) }
    output += marks.close.utf8
  }
}
