/// The pairs of a query in the order that client and server both arrive at: by the bytes of their names.
///
/// Pairs of one name keep their order, because the order of an array means something. Empty pairs are dropped.
enum SortedPairs {
  /// Appends the pairs of a query as they are encoded.
  static func append(_ query: UnsafeBufferPointer<UInt8>, to output: inout [UInt8]) {
    var pairs: [Pair] = []
    pairs.reserveCapacity(16)
    var start = 0
    var nameEnd: Int?
    for index in 0...query.count {
      if index == query.count || query[index] == UInt8(ascii: "&") {
        if index > start { pairs.append(Pair(start: start, nameEnd: nameEnd ?? index, end: index)) }
        start = index + 1
        nameEnd = nil
      } else if nameEnd == nil, query[index] == UInt8(ascii: "=") {
        nameEnd = index
      }
    }
    pairs.sort { $0.precedes($1, in: query) }
    for (index, pair) in pairs.enumerated() {
      if index > 0 { output.append(UInt8(ascii: "&")) }
      output.append(contentsOf: query[pair.start..<pair.end])
    }
  }

  /// The pairs of parameters, percent-encoded by RFC 3986.
  static func bytes(of parameters: Parameters, style: QueryStyle) throws(APIError) -> [UInt8] {
    var style = style
    style.spaces = .percent
    return sorted(Array(try QueryEncoder(style).encode(parameters).utf8))
  }

  /// The pairs of a query or a form body as received, percent-encoded by RFC 3986 whatever they were before;
  /// nil when they cannot be decoded.
  static func bytes(ofQuery query: String, without names: Set<String>) -> [UInt8]? {
    var output: [UInt8] = []
    for pair in query.split(separator: "&") {
      let equals = pair.firstIndex(of: "=") ?? pair.endIndex
      guard let name = PercentEncoding.decode(pair[..<equals], plusIsSpace: true),
        let value = PercentEncoding.decode(pair[equals...].dropFirst(), plusIsSpace: true)
      else { return nil }
      guard !names.contains(name) else { continue }
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

  private struct Pair {
    let start: Int
    let nameEnd: Int
    let end: Int

    func precedes(_ other: Pair, in query: UnsafeBufferPointer<UInt8>) -> Bool {
      var (left, right) = (start, other.start)
      while left < nameEnd, right < other.nameEnd {
        if query[left] != query[right] { return query[left] < query[right] }
        left += 1
        right += 1
      }
      let isShorter = left == nameEnd
      let isLonger = right == other.nameEnd
      return isShorter && isLonger ? start < other.start : isShorter
    }
  }
}
