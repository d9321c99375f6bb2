/// The pairs of a query in the order that client and server both use: by the bytes of their names.
///
/// Pairs with the same name keep their order, because the order of an array matters. Empty pairs are
/// dropped.
enum SortedPairs {
  /// Appends the sorted pairs of a query without changing their encoding.
  static func append(_ query: UnsafeBufferPointer<UInt8>, to output: inout [UInt8]) {
    func name(_ pair: Slice<UnsafeBufferPointer<UInt8>>) -> Slice<UnsafeBufferPointer<UInt8>> {
      pair.prefix { $0 != UInt8(ascii: "=") }
    }
    // The standard library's sort is stable.
    let pairs = query.split(separator: UInt8(ascii: "&"))
    for (index, pair) in pairs.sorted(by: { name($0).lexicographicallyPrecedes(name($1)) }).enumerated() {
      if index > 0 { output.append(UInt8(ascii: "&")) }
      output.append(contentsOf: pair)
    }
  }

  /// The sorted pairs of parameters, percent-encoded by RFC 3986.
  static func bytes(of parameters: Parameters, style: QueryStyle) throws(APIError) -> [UInt8] {
    var style = style
    style.spaces = .percent
    return sorted(Array(try QueryEncoder(style).encode(parameters).utf8))
  }

  /// The sorted pairs of a query or a form body, encoded anew by RFC 3986; nil when they cannot be decoded.
  static func bytes(ofQuery query: String, without names: Set<String>) -> [UInt8]? {
    guard let pairs = PercentEncoding.pairs(of: query) else { return nil }
    var output: [UInt8] = []
    for (name, value) in pairs where !names.contains(name) {
      if !output.isEmpty { output.append(UInt8(ascii: "&")) }
      PercentEncoding.component.append(name, to: &output)
      output.append(UInt8(ascii: "="))
      PercentEncoding.component.append(value, to: &output)
    }
    return sorted(output)
  }

  private static func sorted(_ query: [UInt8]) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(query.count)
    query.withUnsafeBufferPointer { append($0, to: &output) }
    return output
  }
}
