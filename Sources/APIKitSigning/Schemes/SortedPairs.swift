import APIKit

/// The pairs of a query in the order that client and server both use: by the bytes of their names as encoded.
///
/// Pairs with the same name keep their order, because the order of an array matters. Empty pairs are
/// dropped.
enum SortedPairs {
  /// Appends the sorted pairs of a query without changing their encoding.
  static func append(_ query: UnsafeBufferPointer<UInt8>, to output: inout [UInt8]) {
    let separator = UInt8(ascii: "&")
    let most = query.reduce(1) { $1 == separator ? $0 + 1 : $0 }
    withUnsafeTemporaryAllocation(of: Range<Int>.self, capacity: most) { pairs in
      var (count, start) = (0, 0)
      for index in 0...query.count where index == query.count || query[index] == separator {
        if index > start {
          pairs.initializeElement(at: count, to: start..<index)
          count += 1
        }
        start = index + 1
      }
      // The library's sort is stable.
      var sorted = pairs[..<count]
      sorted.sort { precedes($0, $1, in: query) }
      for index in 0..<count {
        if index > 0 { output.append(separator) }
        output.append(contentsOf: UnsafeBufferPointer(rebasing: query[sorted[index]]))
      }
    }
  }

  /// Whether the bytes of one pair's name come before those of another's.
  private static func precedes(
    _ left: Range<Int>, _ right: Range<Int>, in query: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    let equals = UInt8(ascii: "=")
    var (one, other) = (left.lowerBound, right.lowerBound)
    while true {
      let otherEnds = other == right.upperBound || query[other] == equals
      if one == left.upperBound || query[one] == equals { return !otherEnds }
      if otherEnds { return false }
      if query[one] != query[other] { return query[one] < query[other] }
      one += 1
      other += 1
    }
  }

  /// The sorted pairs of parameters, percent-encoded by RFC 3986.
  static func bytes(of parameters: Parameters, style: QueryStyle) throws(APIError) -> [UInt8] {
    do {
      // A verifier that has decoded a joined array cannot tell its separators from those in a value.
      return sorted(
        try QueryEncoder(style).bytes(parameters, escaping: .component, escapesSeparators: true))
    } catch {
      throw error.error(in: "a query")
    }
  }

  /// The sorted pairs of a query or a form body, encoded anew by RFC 3986; nil when they cannot be decoded.
  static func bytes(ofQuery query: String, without names: some Collection<String>) -> [UInt8]? {
    guard let pairs = PercentEncoding.pairs(of: query) else { return nil }
    var output: [UInt8] = []
    for (name, value) in pairs where !names.containsExactly(name) {
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
