public import APIKit

/// Writes parameters as an XML document, in the form that ``XMLBodyDecoder`` reads.
///
/// A parameter is an element in the root, an object an element with elements, an array an element for each value. Names
/// with an `@` are attributes, `#text` is the text of its element:
///
/// ```swift
/// let encoding = ParameterEncoding.body(XMLBodyEncoder(root: "Search", attributes: ["xmlns": "urn:homes"]))
/// // ["city": "苏州", "rooms": ["@at-least": 2], "tag": ["new", "quiet"]]
/// // <Search xmlns="urn:homes"><city>苏州</city><rooms at-least="2"/><tag>new</tag><tag>quiet</tag></Search>
/// ```
/// Dates are written in ISO 8601, bytes in base64. XML has no null, so nulls are refused, as are numbers that are not
/// finite, arrays in arrays, names that XML does not allow and characters that it cannot hold.
/// - SeeAlso: <https://www.w3.org/TR/xml/>
public struct XMLBodyEncoder: BodyEncoder {
  /// The name of the root.
  public var root: String
  /// The attributes of the root, in order: namespaces, a version. None by default.
  public var attributes: Parameters
  /// The value of the `Content-Type` field. The default is `application/xml`.
  public var contentType = "application/xml"

  /// Makes an encoder.
  ///
  /// - Parameters:
  ///   - root: The name of the root.
  ///   - attributes: The attributes of the root, in order.
  public init(root: String, attributes: Parameters = [:]) {
    self.root = root
    self.attributes = attributes
  }

  /// True.
  public var runsInline: Bool { true }

  /// The document as UTF-8.
  ///
  /// Throws `APIError.Reason.unencodableParameter` with the path of a value that cannot be written.
  public func encode(_ parameters: Parameters) throws(APIError) -> [UInt8] {
    var output = Array("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".utf8)
    do {
      let own = attributes.pairs.map { ("@\($0.name)", $0.value) }
      try element(root, Parameters(own + parameters.pairs.map { ($0.name, $0.value) }), to: &output)
    } catch {
      throw error.error(in: "XML")
    }
    output.append(0x0A)
    return output
  }
}

extension XMLBodyEncoder {
  /// An element with attributes, text and elements.
  private func element(
    _ name: String, _ members: Parameters, to output: inout [UInt8]
  ) throws(Unencodable) {
    try open(name, to: &output)
    var content: [UInt8] = []
    for (member, value) in members {
      try Unencodable.under(member) { () throws(Unencodable) in
        if member.hasPrefix("@") {
          output.append(0x20)
          try Self.append(name: String(member.dropFirst()), to: &output)
          output += "=\"".utf8
          try Self.append(try Self.text(of: value), isAttribute: true, to: &output)
          output.append(UInt8(ascii: "\""))
        } else if member == "#text" {
          try Self.append(try Self.text(of: value), isAttribute: false, to: &content)
        } else {
          try write(member, value, to: &content)
        }
      }
    }
    close(name, content, to: &output)
  }

  private func write(_ name: String, _ value: ParameterValue, to output: inout [UInt8]) throws(Unencodable) {
    switch value {
    case .object(let members): try element(name, members, to: &output)
    case .array(let values):
      for (index, value) in values.enumerated() {
        try Unencodable.at(index) { () throws(Unencodable) in
          if case .array = value { throw Unencodable("XML has no arrays in arrays") }
          try write(name, value, to: &output)
        }
      }
    default:
      try open(name, to: &output)
      var content: [UInt8] = []
      try Self.append(try Self.text(of: value), isAttribute: false, to: &content)
      close(name, content, to: &output)
    }
  }

  private func open(_ name: String, to output: inout [UInt8]) throws(Unencodable) {
    output.append(UInt8(ascii: "<"))
    try Self.append(name: name, to: &output)
  }

  private func close(_ name: String, _ content: [UInt8], to output: inout [UInt8]) {
    guard !content.isEmpty else {
      output += "/>".utf8
      return
    }
    output.append(UInt8(ascii: ">"))
    output += content
    output += "</\(name)>".utf8
  }

  private static func text(of value: ParameterValue) throws(Unencodable) -> String {
    switch value {
    case .null: throw Unencodable("XML has no null; leave the parameter out")
    case .object, .array: throw Unencodable("it is not a single value")
    default: return try QueryStyle().text(of: value) ?? ""
    }
  }

  private static func append(name: String, to output: inout [UInt8]) throws(Unencodable) {
    guard RawXMLReader.isName(name) else {
      throw Unencodable("XML does not allow the name \(name.debugDescription)")
    }
    output += name.utf8
  }

  /// Appends text or the value of an attribute, escaped.
  static func append(_ text: String, isAttribute: Bool, to output: inout [UInt8]) throws(Unencodable) {
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": output += "&amp;".utf8
      case "<": output += "&lt;".utf8
      case ">": output += "&gt;".utf8
      case "\"" where isAttribute: output += "&quot;".utf8
      // A reader would take them for others (XML 1.0, 2.11 and 3.3.3).
      case "\r": output += "&#13;".utf8
      case "\t" where isAttribute: output += "&#9;".utf8
      case "\n" where isAttribute: output += "&#10;".utf8
      case "\t", "\n": output.append(UInt8(scalar.value))
      case "\u{0}"..<"\u{20}", "\u{FFFE}", "\u{FFFF}":
        throw Unencodable("XML cannot hold the character \(scalar.value)")
      default: output += UTF8.encode(scalar)!
      }
    }
  }
}
