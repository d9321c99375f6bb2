public import APIKit

/// One request as the demo server received it.
public struct DemoRequest: Sendable {
  /// The method.
  public let method: HTTPMethod
  /// The request target as received, with its query.
  public let target: String
  /// The path, percent-decoded.
  public let path: String
  /// The pairs of the query in order, decoded as a form.
  public let query: [(name: String, value: String)]
  /// The header fields in order.
  public let headers: HTTPHeaders
  /// The body, its chunks joined.
  public let body: [UInt8]
  /// The number of its connection, from 1.
  public internal(set) var connection = 0

  /// Whether the client may send another request on the connection.
  let keepsAlive: Bool

  /// The first value of a name in the query; nil when there is none.
  public subscript(name: String) -> String? { query.first { $0.name == name }?.value }

  /// The query as received, without the question mark; empty when there is none.
  public var rawQuery: String {
    guard let mark = target.utf8.firstIndex(of: UInt8(ascii: "?")) else { return "" }
    return String(target[target.index(after: mark)...])
  }

  init(method: String, target: String, headers: HTTPHeaders, body: [UInt8], keepsAlive: Bool) {
    self.method = HTTPMethod(rawValue: method)
    self.target = target
    self.headers = headers
    self.body = body
    self.keepsAlive = keepsAlive
    let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    path = PercentCoding.decode(parts[0], plusIsSpace: false)
    query = parts.count < 2 ? [] : PercentCoding.pairs(parts[1])
  }
}

/// Percent-decoding and percent-encoding of the parts of a target.
enum PercentCoding {
  /// The decoded text; an invalid escape stays as it is.
  static func decode(_ text: Substring, plusIsSpace: Bool) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count)
    var source = Array(text.utf8)[...]
    while let byte = source.popFirst() {
      if byte == UInt8(ascii: "+"), plusIsSpace {
        bytes.append(0x20)
      } else if byte == UInt8(ascii: "%"), source.count >= 2,
        let high = hexValue(source[source.startIndex]), let low = hexValue(source[source.startIndex + 1])
      {
        bytes.append(high << 4 | low)
        source = source.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The pairs of a query, decoded as a form; a part without `=` has an empty value.
  static func pairs(_ query: Substring) -> [(name: String, value: String)] {
    query.split(separator: "&").map { piece in
      let halves = piece.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return (
        decode(halves[0], plusIsSpace: true), halves.count < 2 ? "" : decode(halves[1], plusIsSpace: true)
      )
    }
  }

  /// The text with all but the unreserved characters percent-encoded.
  static func encode(_ text: String) -> String {
    var encoded = ""
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"):
        encoded.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        let hex = String(byte, radix: 16, uppercase: true)
        encoded += hex.count == 1 ? "%0\(hex)" : "%\(hex)"
      }
    }
    return encoded
  }

  /// The value of one hexadecimal digit.
  static func hexValue(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x37
    case 0x61...0x66: byte - 0x57
    default: nil
    }
  }
}
