import Foundation

extension RawDecoder.Session {
  func decoder(at code: Int) -> RawDecoder { RawDecoder(session: self, code: code) }

  /// How values of a type are read.
  enum Form { case string, int, double, bool, date, url, data, decimal, raw, array, dictionary, itself }

  /// Types with a form of their own in JSON, and the leaves and arrays of leaves that generic code requests, are read directly;
  /// other types decode themselves.
  @inline(__always)
  func form<Value: Decodable>(of type: Value.Type) -> Form {
    if type == String.self { return .string }
    if type == Int.self { return .int }
    if type == Double.self { return .double }
    if type == Bool.self { return .bool }
    if type == Date.self { return .date }
    if type == URL.self { return .url }
    if type == Data.self { return .data }
    if type == Decimal.self { return .decimal }
    if type == RawData.self { return .raw }
    if isArray(type) { return .array }
    return options.keys != .asWritten && type is any RawDictionary.Type ? .dictionary : .itself
  }

  /// A value of any type.
  @inline(__always)
  func value<Value: Decodable>(_ type: Value.Type, at code: Int) throws -> Value {
    switch form(of: type) {
    case .string: Self.cast(try leaf(String.self, at: code), to: type)
    case .int: Self.cast(try leaf(Int.self, at: code), to: type)
    case .double: Self.cast(try leaf(Double.self, at: code), to: type)
    case .bool: Self.cast(try leaf(Bool.self, at: code), to: type)
    case .date: Self.cast(try date(at: code), to: type)
    case .url: Self.cast(try leaf(URL.self, at: code), to: type)
    case .data: Self.cast(try leaf(Data.self, at: code), to: type)
    case .decimal: Self.cast(try leaf(Decimal.self, at: code), to: type)
    case .raw: Self.cast(raw(code), to: type)
    case .array: try array(type, at: code)
    case .dictionary: try Value(from: RawDecoder(session: self, code: code, keysAreData: true))
    case .itself: try Value(from: decoder(at: code))
    }
  }

  /// Casts a value to its own type: called when both types are known to be the same.
  @inline(__always)
  private static func cast<From, To>(_ value: From, to type: To.Type) -> To { unsafeBitCast(value, to: type) }

  @inline(__always)
  func leaf<Leaf: RawLeaf>(_ type: Leaf.Type, at code: Int) throws -> Leaf {
    guard let leaf = Leaf(raw: raw(code)) else { throw mismatch(type, Leaf.expectation, at: code) }
    return leaf
  }

  private func date(at code: Int) throws -> Date {
    guard let date = raw(code).date(as: options.dates) else {
      throw mismatch(Date.self, Date.expectation, at: code)
    }
    return date
  }

  @inline(never)
  private func array<Value>(_ type: Value.Type, at code: Int) throws -> Value {
    if Value.self == [String].self { return Self.cast(try leaves(String.self, at: code), to: Value.self) }
    if Value.self == [Int].self { return Self.cast(try leaves(Int.self, at: code), to: Value.self) }
    if Value.self == [Double].self { return Self.cast(try leaves(Double.self, at: code), to: Value.self) }
    guard let array = try (type as? any RawArray.Type)?.init(session: self, at: code) as? Value else {
      preconditionFailure("a type that is an array is made as one")
    }
    return array
  }

  @inline(__always)
  private func leaves<Leaf: RawLeaf>(_ type: Leaf.Type, at code: Int) throws -> [Leaf] {
    try array(at: code) { try leaf(type, at: $0) }
  }

  /// An array of what `read` makes of each element.
  @inline(__always)
  fileprivate func array<Element>(at code: Int, _ read: (Int) throws -> Element) throws -> [Element] {
    let range = try elements(at: code)
    return try [Element](unsafeUninitializedCapacity: raw(code).elements.count) { elements, count in
      var index = range.lowerBound
      while index < range.upperBound {
        elements.initializeElement(at: count, to: try read(index))
        count += 1
        index = document.next(after: index)
      }
    }
  }

  /// The tape indexes of the elements of an array. In a document that was XML, an element that stands once is an array of
  /// one.
  func elements(at code: Int) throws -> Range<Int> {
    if code >= 0 {
      if document.node(code).tag == .array { return code + 2..<document.end(of: code) }
      if document.isXML { return code..<document.next(after: code) }
    }
    throw mismatch([Any].self, "an array", at: code)
  }

  /// The error for a value that is not what a type expects.
  @inline(never)
  func mismatch(_ type: Any.Type, _ expectation: String, at code: Int) -> DecodingError {
    let raw = raw(code)
    let context = DecodingError.Context(
      codingPath: codingPath(to: code), debugDescription: "expected \(expectation), found \(raw.summary)",
      underlyingError: raw.quotation.map { APIError(.reform, .unexpectedValue, quote: $0) })
    switch raw.kind {
    case .null, .missing: return .valueNotFound(type, context)
    case .number where type is any BinaryInteger.Type: return .dataCorrupted(context)
    default: return .typeMismatch(type, context)
    }
  }
}

/// Arrays, whose elements are read without a container.
protocol RawArray {
  init(session: RawDecoder.Session, at code: Int) throws
}

extension Array: RawArray where Element: Decodable {
  init(session: RawDecoder.Session, at code: Int) throws {
    // Asked once, not for each element.
    if session.form(of: Element.self) == .itself {
      self = try session.array(at: code) { try Element(from: session.decoder(at: $0)) }
    } else {
      self = try session.array(at: code) { try session.value(Element.self, at: $0) }
    }
  }
}

/// Dictionaries, whose keys are data and not coding keys.
private protocol RawDictionary {}

extension Dictionary: RawDictionary {}
