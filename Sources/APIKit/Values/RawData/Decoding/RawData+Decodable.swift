import Foundation

/// A JSON value of any shape, as a member of a type that is sent or decoded.
///
/// It is a ``RawData``, so it is read like a response, is written with all digits of its numbers and with its members in their
/// order, and can be stated as a literal:
///
/// ```swift
/// struct Home: Codable {
///   var id: Int
///   var extra: JSONValue
/// }
/// let home = Home(id: 7, extra: ["tags": ["new"], "price": 12.5, "agent": .null])
/// home.extra.tags[0].string  // "new"
/// ```
public typealias JSONValue = RawData

extension RawData: Decodable {
  /// Keeps a part of a decoded type as raw data.
  ///
  /// With ``decode(as:options:)`` a property of this type is a cursor to its value in the document. Other decoders, such as
  /// Foundation's `JSONDecoder`, do not show the text that they read: the members are then sorted by name, and a number is
  /// what an integer, a `Decimal` or a `Double` makes of it.
  /// - Throws: With other decoders, a `DecodingError` for a value that is nested deeper than 128 levels, or that is none of
  ///   JSON.
  public init(from decoder: any Decoder) throws {
    if let decoder = decoder as? RawDecoder {
      self = decoder.raw
      return
    }
    var json: [UInt8] = []
    try Self.append(decoder, to: &json, depth: 0)
    do {
      try self.init(parsing: json)
    } catch {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: error.detail, underlyingError: error))
    }
  }

  /// How deep a value may be nested that another library writes or reads: both call themselves for each level, and threads of
  /// Apple's systems have 512 KiB of stack.
  static let codableDepth = 128

  /// Writes as JSON what a decoder holds. What it is can only be tried.
  private static func append(_ decoder: any Decoder, to json: inout [UInt8], depth: Int) throws {
    if let members = try? decoder.container(keyedBy: RawCodingKey.self) {
      try checkDepth(depth, decoder)
      json.append(UInt8(ascii: "{"))
      for key in members.allKeys.sorted(by: { $0.stringValue < $1.stringValue }) {
        RawWriter.append(name: key.stringValue, to: &json)
        try append(members.superDecoder(forKey: key), to: &json, depth: depth + 1)
      }
      json.append(UInt8(ascii: "}"))
    } else if var elements = try? decoder.unkeyedContainer() {
      try checkDepth(depth, decoder)
      json.append(UInt8(ascii: "["))
      while !elements.isAtEnd {
        RawWriter.separate(&json)
        try append(elements.superDecoder(), to: &json, depth: depth + 1)
      }
      json.append(UInt8(ascii: "]"))
    } else {
      try append(decoder.singleValueContainer(), to: &json)
    }
  }

  private static func append(_ value: any SingleValueDecodingContainer, to json: inout [UInt8]) throws {
    if value.decodeNil() {
      json += "null".utf8
    } else if let flag = try? value.decode(Bool.self) {
      json += (flag ? "true" : "false").utf8
    } else if let text = try? value.decode(String.self) {
      RawWriter.append(string: text.utf8, to: &json)
    } else if let integer = try? value.decode(Int64.self) {
      json += String(integer).utf8
    } else if let integer = try? value.decode(UInt64.self) {
      json += String(integer).utf8
    } else if let decimal = try? value.decode(Decimal.self), decimal.isFinite {
      json += "\(decimal)".utf8
    } else {
      let double = try value.decode(Double.self)
      guard double.isFinite else {
        throw DecodingError.dataCorruptedError(in: value, debugDescription: "JSON has no such number")
      }
      json += "\(double)".utf8
    }
  }

  private static func checkDepth(_ depth: Int, _ decoder: any Decoder) throws {
    guard depth < codableDepth else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "it is nested deeper than \(depth) levels"))
    }
  }
}
