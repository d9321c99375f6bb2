public import APIKit

/// Writes parameters as an XML property list with a dictionary at the top.
///
/// Property lists have no null, so nulls are refused, as are numbers that are not finite and characters
/// that XML does not allow. Dates are written in ISO 8601, bytes as data.
/// - SeeAlso: <https://www.apple.com/DTDs/PropertyList-1.0.dtd>
public struct PropertyListBodyEncoder: BodyEncoder {
  /// Whether names are sorted by their bytes at every depth. The default, false, keeps their order.
  public var sortsKeys: Bool

  /// Makes an encoder.
  public init(sortsKeys: Bool = false) { self.sortsKeys = sortsKeys }

  /// True.
  public var runsInline: Bool { true }

  /// `application/x-plist`
  public var contentType: String { "application/x-plist" }

  /// The property list as UTF-8.
  ///
  /// Throws `APIError.Reason.unencodableParameter` with the path of a value that cannot be written.
  public func encode(_ parameters: Parameters) throws(APIError) -> [UInt8] {
    try encode(value: .object(parameters))
  }

  /// The list whose top is any value. Throws what ``encode(_:)`` throws.
  public func encode(value: ParameterValue) throws(APIError) -> [UInt8] {
    var output = Array(Self.head.utf8)
    do {
      try write(value, to: &output)
    } catch {
      throw error.error(in: "a property list")
    }
    output += "</plist>\n".utf8
    return output
  }

  private static let head = """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
    <plist version="1.0">

    """
}

extension PropertyListBodyEncoder {
  private func write(_ parameters: Parameters, to output: inout [UInt8]) throws(Unencodable) {
    output += "<dict>\n".utf8
    for (name, value) in sortsKeys ? parameters.sorted() : parameters {
      try Unencodable.under(name) { () throws(Unencodable) in
        try write("key", name, to: &output)
        try write(value, to: &output)
      }
    }
    output += "</dict>\n".utf8
  }

  private func write(_ value: ParameterValue, to output: inout [UInt8]) throws(Unencodable) {
    switch value {
    case .string(let text): try write("string", text, to: &output)
    case .integer(let number): try write("integer", String(number), to: &output)
    case .double(let number):
      guard number.isFinite else { throw Unencodable("it is not a finite number") }
      try write("real", number.description, to: &output)
    case .number(let text):
      let isInteger = UInt64(text) != nil || Int64(text) != nil
      try write(isInteger ? "integer" : "real", text.asNumber, to: &output)
    case .bool(let flag): output += (flag ? "<true/>\n" : "<false/>\n").utf8
    case .date(let date): try write("date", DateStyle.iso8601.written(date), to: &output)
    case .data(let bytes): try write("data", Base64.encode(bytes), to: &output)
    case .null: throw Unencodable("property lists have no null; leave the parameter out")
    case .object(let parameters): try write(parameters, to: &output)
    case .array(let elements):
      output += "<array>\n".utf8
      for (index, element) in elements.enumerated() {
        try Unencodable.at(index) { () throws(Unencodable) in try write(element, to: &output) }
      }
      output += "</array>\n".utf8
    }
  }

  private func write(_ tag: String, _ text: String, to output: inout [UInt8]) throws(Unencodable) {
    output += "<\(tag)>".utf8
    try XMLBodyEncoder.append(text, isAttribute: false, to: &output)
    output += "</\(tag)>\n".utf8
  }
}
