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
    // An invalid escape stays as it is.
    path = String(decoding: PercentEncoding.bytes(of: parts[0].utf8, isStrict: false) ?? [], as: UTF8.self)
    query = parts.count < 2 ? [] : PercentEncoding.lenientPairs(of: parts[1])
  }
}

extension PercentEncoding {
  /// The pairs of a query or a form; a part without `=` has an empty value, and an invalid escape stays as it is.
  static func lenientPairs(of text: some StringProtocol) -> [(name: String, value: String)] {
    text.split(separator: "&").map { piece in
      let equals = piece.firstIndex(of: "=") ?? piece.endIndex
      return (decode(form: piece[..<equals].utf8), decode(form: piece[equals...].dropFirst().utf8))
    }
  }
}
