/// Writes parameters as one JSON object, without white space.
///
/// Numbers with a fraction are written in the shortest form that reads back as the same number, with `.0`
/// when they are whole. Bytes are written as base64. `NaN` and the infinities do not exist in JSON and are
/// refused. Non-ASCII characters and `/` are not escaped.
/// - SeeAlso: <https://www.rfc-editor.org/rfc/rfc8259>
public struct JSONBodyEncoder: BodyEncoder {
  /// How dates are written; the default is ``DateStyle/iso8601``.
  public var dates: DateStyle
  /// Whether names are sorted by their bytes at every depth. The default, false, keeps their order.
  public var sortsKeys: Bool

  /// Makes an encoder.
  public init(dates: DateStyle = .iso8601, sortsKeys: Bool = false) {
    self.dates = dates
    self.sortsKeys = sortsKeys
  }

  /// True.
  public var runsInline: Bool { true }

  /// `application/json`
  public var contentType: String { "application/json" }

  /// The object as UTF-8.
  ///
  /// Throws ``APIError/Reason/unencodableParameter`` with the path of a number that is not finite, or of a
  /// date that its style cannot express.
  public func encode(_ parameters: Parameters) throws(APIError) -> [UInt8] {
    try encode(value: .object(parameters))
  }

  /// The value as UTF-8: an array, a text, null. Throws what ``encode(_:)`` throws.
  public func encode(value: ParameterValue) throws(APIError) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(256)
    do {
      try write(value, to: &output)
    } catch {
      throw error.error(in: "JSON")
    }
    return output
  }
}

extension JSONBodyEncoder {
  private func write(_ parameters: Parameters, to output: inout [UInt8]) throws(Unencodable) {
    output.append(UInt8(ascii: "{"))
    for (name, value) in sortsKeys ? parameters.sorted() : parameters {
      RawWriter.append(name: name, to: &output)
      try Unencodable.under(name) { () throws(Unencodable) in try write(value, to: &output) }
    }
    output.append(UInt8(ascii: "}"))
  }

  private func write(_ value: ParameterValue, to output: inout [UInt8]) throws(Unencodable) {
    switch value {
    case .string(let text): RawWriter.append(string: text.utf8, to: &output)
    case .integer(let number): output += String(number).utf8
    case .double(let number):
      guard number.isFinite else { throw Unencodable("it is not a finite number") }
      output += number.description.utf8
    case .number(let text): output += try text.asNumber.utf8
    case .bool(let flag): output += (flag ? "true" : "false").utf8
    case .date(let date):
      let text = try dates.written(date)
      if dates.isNumber { output += text.utf8 } else { RawWriter.append(string: text.utf8, to: &output) }
    case .data(let bytes): RawWriter.append(string: Base64.encode(bytes).utf8, to: &output)
    case .null: output += "null".utf8
    case .object(let parameters): try write(parameters, to: &output)
    case .array(let elements):
      output.append(UInt8(ascii: "["))
      for (index, element) in elements.enumerated() {
        RawWriter.separate(&output)
        try Unencodable.at(index) { () throws(Unencodable) in try write(element, to: &output) }
      }
      output.append(UInt8(ascii: "]"))
    }
  }
}
