/// Writes parameters as a query: `city=Suzhou&beds=3`.
///
/// Names and values are percent-encoded by RFC 3986: only unreserved characters are kept, and the brackets
/// of arrays and objects are encoded too. Bytes are written as base64.
public struct QueryEncoder: Sendable {
  /// How arrays, objects, booleans, dates, nulls and spaces are written.
  public var style: QueryStyle

  /// Makes an encoder.
  public init(_ style: QueryStyle = QueryStyle()) { self.style = style }

  /// The query without a question mark; empty when there is nothing to send.
  ///
  /// Throws ``APIError/Reason/unencodableParameter`` with the path of a value that cannot be written: a
  /// number that is not finite, a date that its style cannot express, or an element of a joined array that
  /// is nested or contains the separator.
  public func encode(_ parameters: Parameters) throws(APIError) -> String {
    let escaping = style.spaces == .plus ? PercentEncoding.componentWithPlus : .component
    do {
      return String(decoding: try bytes(parameters, escaping: escaping), as: UTF8.self)
    } catch {
      throw error.error(in: "a query")
    }
  }

  /// The pairs as bytes, escaped by the given rules, which may hold for the separators of joined arrays too.
  package func bytes(
    _ parameters: Parameters, escaping: PercentEncoding, escapesSeparators: Bool = false
  ) throws(Unencodable) -> [UInt8] {
    var writer = QueryWriter(style: style, escaping: escaping, escapesSeparators: escapesSeparators)
    try writer.write(parameters, isTop: true)
    return writer.output
  }
}

/// Writes one `name=value` pair for each leaf of nested parameters.
private struct QueryWriter {
  let style: QueryStyle
  let escaping: PercentEncoding
  let escapesSeparators: Bool
  var output: [UInt8] = []
  /// The encoded name of the current value; it grows and shrinks with the depth.
  private var key: [UInt8] = []

  init(style: QueryStyle, escaping: PercentEncoding, escapesSeparators: Bool) {
    self.style = style
    self.escaping = escaping
    self.escapesSeparators = escapesSeparators
    output.reserveCapacity(128)
  }

  mutating func write(_ parameters: Parameters, isTop: Bool) throws(Unencodable) {
    for (name, value) in style.sortsKeys ? parameters.sorted() : parameters {
      let mark = key.count
      if isTop {
        guard value.isNested else {
          // Nearly every pair: its name needs no memory of its own.
          try Unencodable.under(name) { () throws(Unencodable) in
            guard let text = try style.text(of: value) else { return }
            separate()
            escaping.append(name, to: &output)
            output.append(UInt8(ascii: "="))
            escaping.append(text, to: &output)
          }
          continue
        }
        escaping.append(name, to: &key)
      } else {
        switch style.objects {
        case .brackets:
          escaping.append(UInt8(ascii: "["), to: &key)
          escaping.append(name, to: &key)
          escaping.append(UInt8(ascii: "]"), to: &key)
        case .dotted:
          key.append(UInt8(ascii: "."))
          escaping.append(name, to: &key)
        }
      }
      try Unencodable.under(name) { () throws(Unencodable) in try write(value) }
      key.removeLast(key.count - mark)
    }
  }

  private mutating func write(_ value: ParameterValue) throws(Unencodable) {
    switch value {
    case .array(let elements): try write(elements)
    case .object(let parameters): try write(parameters, isTop: false)
    default: if let text = try style.text(of: value) { writePair(text) }
    }
  }

  private mutating func write(_ elements: [ParameterValue]) throws(Unencodable) {
    if case .joined(let separator) = style.arrays { return try writeJoined(elements, by: separator) }
    for (index, element) in elements.enumerated() {
      let mark = key.count
      switch style.arrays {
      case .brackets: escaping.append("[]", to: &key)
      case .indexed: escaping.append("[\(index)]", to: &key)
      case .repeated, .joined: break
      }
      try Unencodable.at(index) { () throws(Unencodable) in try write(element) }
      key.removeLast(key.count - mark)
    }
  }

  private mutating func writeJoined(
    _ elements: [ParameterValue], by separator: String
  ) throws(Unencodable) {
    let texts = try style.texts(of: elements, joinedBy: separator)
    beginPair()
    for (index, text) in texts.enumerated() {
      if index > 0 {
        // A comma or semicolon is allowed in a query, and servers that split before they decode need it
        // unencoded.
        for byte in separator.utf8 {
          if !escapesSeparators, byte == UInt8(ascii: ",") || byte == UInt8(ascii: ";") {
            output.append(byte)
          } else {
            escaping.append(byte, to: &output)
          }
        }
      }
      escaping.append(text, to: &output)
    }
  }

  private mutating func writePair(_ text: String) {
    beginPair()
    escaping.append(text, to: &output)
  }

  private mutating func beginPair() {
    separate()
    output += key
    output.append(UInt8(ascii: "="))
  }

  private mutating func separate() {
    if !output.isEmpty { output.append(UInt8(ascii: "&")) }
  }
}

extension ParameterValue {
  fileprivate var isNested: Bool {
    switch self {
    case .array, .object: true
    default: false
    }
  }
}
