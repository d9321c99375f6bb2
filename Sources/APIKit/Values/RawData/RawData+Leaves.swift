// Each of these is nil when the value is missing or has another kind. `require` throws the reason instead.
extension RawData {
  /// The text of a string, with escapes resolved. In a document that was XML, the text of an element that has attributes
  /// or children is read as well.
  public var string: String? {
    guard let node = existing, node.isString else { return ownText?.string }
    return RawText.string(document.buffer, node)
  }

  /// The value of a number that is an integer (`12`, but also `12.0` and `1.2e1`) and fits `Int`.
  @inline(__always)
  public var int: Int? { integer(Int.self) }

  /// The value of a number that is an integer and fits the type; exact for all bits of any width, signed
  /// or unsigned.
  @inline(__always)
  public func integer<Integer: FixedWidthInteger>(_ type: Integer.Type) -> Integer? {
    guard let node = existing, node.tag == .integer || node.tag == .number else {
      return writtenInteger(type)
    }
    return RawNumber.integer(document.buffer, node, as: type)
  }

  /// The double nearest to a number; nil also for a number that is larger than any double.
  public var double: Double? {
    guard let node = existing, node.tag == .integer || node.tag == .number else {
      return isWritten ? fromText(RawNumber.written) : nil
    }
    return RawNumber.double(document.buffer, node)
  }

  /// The float nearest to a number, rounded only once, not through a double.
  var float: Float? {
    guard let node = existing, node.tag == .integer || node.tag == .number else {
      return isWritten
        ? fromText { RawNumber.float($0, $1, length: $2) ?? RawNumber.loose($0, $1, length: $2) } : nil
    }
    return RawNumber.float(document.buffer, node.offset, length: node.length)
  }

  /// The value of `true` or `false`.
  public var bool: Bool? {
    switch existing?.tag {
    case .true: true
    case .false: false
    default: isWritten ? Self.bool(string) : nil
    }
  }

  /// The number as it is written in the document.
  public var numberText: String? {
    guard let node = existing, node.tag == .integer || node.tag == .number else { return nil }
    return document.bytes.withUnsafeBufferPointer {
      RawNumber.text($0, node.offset, length: node.length) { $0 }
    }
  }

  /// Whether ``string`` is exactly this text, byte by byte. Creates no String.
  public func equals(_ text: String) -> Bool {
    guard let node = existing, node.isString else { return ownText?.equals(text) ?? false }
    return text.utf8.withContiguousStorageIfAvailable { document.matches(code, $0) }
      ?? Array(text.utf8).withUnsafeBufferPointer { document.matches(code, $0) }
  }
}

extension RawData {
  /// Whether it is a text that may be read as a number or a boolean: XML has no other values.
  private var isWritten: Bool { exists && document.isXML && node.tag != .array }

  @inline(never)
  private func writtenInteger<Integer: FixedWidthInteger>(_ type: Integer.Type) -> Integer? {
    guard isWritten else { return nil }
    return fromText {
      RawNumber.integer($0, $1, length: $2, as: type) ?? Integer(RawNumber.text($0, $1, length: $2) { $0 })
    }
  }

  /// The text of an XML element that has attributes or children too; nil for everything else.
  var ownText: RawData? {
    guard exists, document.isXML, node.tag == .object else { return nil }
    let text = self["#text"]
    return text.exists ? text : nil
  }
}

// MARK: Lenient forms

// For servers that write numbers as strings, booleans as 1 and 0, and the like.
extension RawData {
  /// The text of a string, a number as it is written, or `true` or `false`.
  public var lenientString: String? { string ?? numberText ?? bool.map { $0 ? "true" : "false" } }

  /// A number, a number in a string, or a boolean as 1 or 0; nil when it is not an integer or does not fit.
  public var lenientInt: Int? {
    if let int { return int }
    if let bool { return bool ? 1 : 0 }
    return fromText {
      RawNumber.integer($0, $1, length: $2, as: Int.self) ?? Int(RawNumber.text($0, $1, length: $2) { $0 })
    }
  }

  /// A number, or a number in a string.
  public var lenientDouble: Double? { double ?? fromText(RawNumber.written) }

  /// A boolean; the numbers 1 and 0; the strings true, false, yes, no, 1 and 0 in any case.
  public var lenientBool: Bool? {
    if let bool { return bool }
    return Self.bool(lenientString)
  }

  private static func bool(_ text: String?) -> Bool? {
    switch text?.trimmingSpaceAndLines.lowercased() {
    case "true", "yes", "1": true
    case "false", "no", "0": false
    default: nil
    }
  }

  /// Passes a string's bytes, without the white space around them, to a closure.
  private func fromText<Value>(
    _ read: (UnsafeBufferPointer<UInt8>, Int, Int) -> Value?
  ) -> Value? {
    guard let node = existing, node.isString else { return ownText?.fromText(read) }
    func trimmed(_ bytes: UnsafeBufferPointer<UInt8>, _ start: Int, _ end: Int) -> Value? {
      var (start, end) = (start, end)
      while start < end, bytes[start].isSpaceOrLine { start += 1 }
      while start < end, bytes[end - 1].isSpaceOrLine { end -= 1 }
      return start < end ? read(bytes, start, end - start) : nil
    }
    return document.bytes.withUnsafeBufferPointer { bytes in
      node.tag == .string
        ? trimmed(bytes, node.offset, node.offset + node.length)
        : RawText.unescaped(bytes, node).withUnsafeBufferPointer { trimmed($0, 0, $0.count) }
    }
  }
}

extension UInt8 {
  var isSpaceOrLine: Bool { self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D }
}

extension String {
  /// The text without spaces, tabs and line ends around it, as texts of XML have them.
  var trimmingSpaceAndLines: String {
    let rest = utf8.drop(while: \.isSpaceOrLine)
    guard let last = rest.lastIndex(where: { !$0.isSpaceOrLine }) else { return "" }
    return String(Substring(rest[...last]))
  }
}
