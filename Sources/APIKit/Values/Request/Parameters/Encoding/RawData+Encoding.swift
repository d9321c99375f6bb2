import Foundation

extension RawData {
  /// Makes a document of any `Encodable` value, as ``JSONBodyEncoder`` writes it: with the members in their order and dates in
  /// ISO 8601.
  ///
  /// ```swift
  /// let value = try JSONValue(encoding: ["count": count, "tags": tags] as Parameters)
  /// ```
  /// - Throws: ``APIError/Reason/unencodableParameter`` for a value without a form in JSON.
  public init(encoding value: some Encodable) throws(APIError) {
    let parameter: ParameterValue
    do throws(Unencodable) {
      parameter = try ParameterEncoder.encode(value) ?? .null
    } catch {
      throw error.error(in: "JSON")
    }
    try self.init(
      parsing: JSONBodyEncoder().encode(value: parameter),
      limits: Limits(maximumDepth: Limits.hardMaximumDepth))
  }
}

extension RawData: Encodable {
  /// Writes the value, e.g. as a member of a type: a missing one as null, of several members with one name the last.
  ///
  /// In parameters, numbers keep their digits and members their order. Encoders of others get a number as an integer, a
  /// `Double` or a `Decimal`, whichever holds it exactly.
  /// - Throws: With an encoder of others, an `EncodingError` for a number that none of them holds. For a value that is nested
  ///   deeper than 128 levels the load is refused, or an `EncodingError` thrown.
  public func encode(to encoder: any Encoder) throws {
    let value: ParameterValue
    do throws(Unencodable) {
      value = try parameterValue()
    } catch {
      throw EncodingError.invalidValue(
        self, .init(codingPath: encoder.codingPath, debugDescription: error.why))
    }
    try value.write(to: encoder)
  }

  /// The value as a parameter.
  func parameterValue(depth: Int = 0) throws(Unencodable) -> ParameterValue {
    switch kind {
    case .missing, .null: return .null
    case .bool: return .bool(bool == true)
    case .string: return .string(string ?? "")
    case .number:
      let text = numberText ?? "0"
      return node.tag == .integer && text != "-0"
        ? Int(text).map { .integer($0) } ?? .number(text) : .number(text)
    case .array, .object:
      guard depth < Self.codableDepth else { throw Unencodable("it is nested deeper than \(depth) levels") }
    }
    guard kind == .object else {
      var values: [ParameterValue] = []
      values.reserveCapacity(count)
      for element in elements { values.append(try element.parameterValue(depth: depth + 1)) }
      return .array(values)
    }
    var pairs: [(String, ParameterValue)] = []
    pairs.reserveCapacity(count)
    for (name, value) in members { pairs.append((name, try value.parameterValue(depth: depth + 1))) }
    return .object(Parameters(pairs))
  }
}

extension ParameterValue {
  /// Writes a number of JSON to an encoder of any format.
  static func write(number text: String, to encoder: any Encoder) throws {
    let digits = RawDigits(text)
    if let integer = Int64(text) { return try integer.encode(to: encoder) }
    if let integer = UInt64(text) { return try integer.encode(to: encoder) }
    if let double = Double(text), double.isFinite, RawDigits("\(double)") == digits {
      return try double.encode(to: encoder)
    }
    // As a value: a `Decimal` that encodes itself writes its parts.
    var container = encoder.singleValueContainer()
    guard let decimal = Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")), decimal.isFinite,
      RawDigits("\(decimal)") == digits
    else {
      throw EncodingError.invalidValue(
        text,
        .init(
          codingPath: encoder.codingPath,
          debugDescription: "only JSON itself holds a number of so many digits"))
    }
    try container.encode(decimal)
  }
}
