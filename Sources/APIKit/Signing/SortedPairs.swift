/// The pairs of a query as one text that client and server both arrive at: sorted by name, percent-encoded
/// by RFC 3986.
///
/// Values of one name keep their order, because the order of an array means something.
enum SortedPairs {
  /// The text of parameters.
  static func text(of parameters: Parameters, style: QueryStyle) throws(APIError) -> String {
    var style = style
    style.spaces = .percent
    return sorted(try QueryEncoder(style).encode(parameters).split(separator: "&"))
  }

  /// The text of a query or a form body as received, however it was encoded; nil when it is not decodable.
  static func text(ofQuery query: String, without names: Set<String> = []) -> String? {
    var pairs: [Substring] = []
    for pair in query.split(separator: "&") {
      let equals = pair.firstIndex(of: "=")
      guard
        let name = PercentEncoding.decode(pair[..<(equals ?? pair.endIndex)], plusIsSpace: true),
        let value = PercentEncoding.decode(
          equals.map { pair[pair.index(after: $0)...] } ?? "", plusIsSpace: true)
      else { return nil }
      guard !names.contains(name) else { continue }
      pairs.append("\(PercentEncoding.component.encode(name))=\(PercentEncoding.component.encode(value))")
    }
    return sorted(pairs)
  }

  private static func sorted(_ pairs: [Substring]) -> String {
    let keyed = pairs.enumerated().map {
      (place: $0.offset, name: $0.element.utf8.prefix { $0 != 0x3D }, pair: $0.element)
    }
    return keyed.sorted { left, right in
      if left.name.elementsEqual(right.name) { return left.place < right.place }
      return left.name.lexicographicallyPrecedes(right.name)
    }.map(\.pair).joined(separator: "&")
  }
}
