import Foundation

// MARK: To plain values

extension RawData {
  /// The value as plain Swift: `[String: any Sendable]`, `[any Sendable]`, `String`, `Bool`, `Int`, and
  /// `NSNull` for null; nil when it is missing.
  ///
  /// An integer beyond `Int` is a `UInt64` if it fits, otherwise a `Decimal`; every other number is a
  /// `Double`. The last of several members with one name is used. Nil also for an object whose names a Swift
  /// dictionary cannot tell apart, and for what contains one: `String` takes é composed and decomposed for equal,
  /// JSON does not; read such an object by its ``members``. Copies everything below the cursor.
  public var any: (any Sendable)? { DeepStack.run(depth: document.depthLimit) { plain } }

  private var plain: (any Sendable)? {
    switch kind {
    case .missing: nil
    case .null: NSNull()
    case .bool: bool
    case .string: string
    case .number: plainNumber
    case .array: plainArray
    case .object: plainDictionary
    }
  }

  /// An object as a dictionary of plain values, see ``any``; nil for everything else.
  public var dictionary: [String: any Sendable]? {
    DeepStack.run(depth: document.depthLimit) { plainDictionary }
  }

  private var plainDictionary: [String: any Sendable]? {
    guard kind == .object else { return nil }
    var dictionary: [String: any Sendable] = [:]
    dictionary.reserveCapacity(count)
    for (key, value) in members {
      guard let plain = value.plain else { return nil }
      dictionary[key] = plain
    }
    if dictionary.count < count, Set(members.map { ExactText($0.key) }).count > dictionary.count {
      return nil
    }
    return dictionary
  }

  /// An array of plain values, see ``any``; nil for everything else.
  public var array: [any Sendable]? { DeepStack.run(depth: document.depthLimit) { plainArray } }

  private var plainArray: [any Sendable]? {
    guard kind == .array else { return nil }
    var array: [any Sendable] = []
    array.reserveCapacity(count)
    for element in elements {
      guard let value = element.plain else { return nil }
      array.append(value)
    }
    return array
  }

  private var plainNumber: any Sendable {
    if node.tag == .integer {
      if let int { return int }
      if let wide = integer(UInt64.self) { return wide }
      if let decimal { return decimal }
    }
    return double ?? Double.infinity
  }
}

// MARK: From plain values

extension RawData {
  /// Makes a document from plain values; for tests, stubs and services that do not use JSON.
  ///
  /// Accepts dictionaries with String keys, arrays, String, Bool, integers, Double, Float, Decimal, `Date`
  /// (written in ISO 8601), `Data` (written in base64), `URL`, `NSNumber` (by what it was made of: the number 1
  /// is not true), `NSNull`, nil, and `RawData`. Members are sorted by name.
  /// - Throws: ``APIError/Reason/malformedBody`` for a value of another type, a number that is not finite,
  ///   or a date beyond the year 9999; ``APIError/Reason/bodyLimitExceeded`` for values nested deeper than
  ///   512 levels.
  public init(plain value: Any?) throws(APIError) {
    var text: [UInt8] = []
    try Self.append(plain: value, to: &text, depth: 0)
    try self.init(parsing: text)
  }

  static func append(plain value: Any?, to text: inout [UInt8], depth: Int) throws(APIError) {
    guard depth <= Limits.default.maximumDepth else {
      throw APIError(.response, .bodyLimitExceeded, "a plain value is nested deeper than \(depth - 1) levels")
    }
    // The depth of plain values is not known before.
    let isDeep = depth == DeepStack.shallowDepth
    try DeepStack.run(depth: isDeep ? Limits.default.maximumDepth : 0) { () throws(APIError) in
      try append(one: value, to: &text, depth: depth)
    }
  }

  private static func append(one value: Any?, to text: inout [UInt8], depth: Int) throws(APIError) {
    switch value {
    case nil: text += "null".utf8
    // Before the classes: a cast to one bridges everything inside of a container, level by level.
    case let dictionary as [String: Any?]:
      text.append(UInt8(ascii: "{"))
      for (name, value) in dictionary.sorted(by: { $0.key < $1.key }) {
        RawWriter.append(name: name, to: &text)
        try append(plain: value, to: &text, depth: depth + 1)
      }
      text.append(UInt8(ascii: "}"))
    case let array as [Any?]:
      text.append(UInt8(ascii: "["))
      for element in array {
        RawWriter.separate(&text)
        try append(plain: element, to: &text, depth: depth + 1)
      }
      text.append(UInt8(ascii: "]"))
    case is NSNull: text += "null".utf8
    case let raw as RawData: text += raw.jsonBytes()
    // Before the types of Swift: a cast gives 1 as a Bool, and a Bool as a number.
    case .some(let number) where type(of: number) is NSNumber.Type:
      if let number = number as? NSNumber { try append(number, to: &text) }
    case let string as String: RawWriter.append(string: string.utf8, to: &text)
    case let bool as Bool: text += (bool ? "true" : "false").utf8
    case let integer as any FixedWidthInteger: text += String(describing: integer).utf8
    case let number as Double: try append(number, to: &text)
    case let number as Float: try append(Double("\(number)") ?? .nan, to: &text)
    case let number as Decimal where number.isFinite: text += "\(number)".utf8
    case let date as Date:
      guard let iso = ISO8601.text(secondsSince1970: date.timeIntervalSince1970, milliseconds: .asNeeded)
      else {
        throw APIError(.response, .malformedBody, "a date beyond the year 9999 cannot be written")
      }
      RawWriter.append(string: iso.utf8, to: &text)
    case let data as Data: RawWriter.append(string: Base64.encode(data).utf8, to: &text)
    case let url as URL: RawWriter.append(string: url.absoluteString.utf8, to: &text)
    case .some(let other):
      throw APIError(.response, .malformedBody, "a value of type \(type(of: other)) cannot be raw data")
    }
  }

  private static func append(_ number: NSNumber, to text: inout [UInt8]) throws(APIError) {
    // Both booleans are one object each, on all platforms.
    if number === NSNumber(value: true) || number === NSNumber(value: false) {
      text += (number.boolValue ? "true" : "false").utf8
    } else if let decimal = number as? NSDecimalNumber {
      try append(plain: decimal.decimalValue, to: &text, depth: 0)
    } else {
      switch UInt8(bitPattern: number.objCType.pointee) {
      case UInt8(ascii: "d"): try append(number.doubleValue, to: &text)
      case UInt8(ascii: "f"): try append(plain: number.floatValue, to: &text, depth: 0)
      default: text += "\(number)".utf8
      }
    }
  }

  private static func append(_ number: Double, to text: inout [UInt8]) throws(APIError) {
    guard number.isFinite else {
      throw APIError(.response, .malformedBody, "the number \(number) cannot be written")
    }
    text += "\(number)".utf8
  }
}
