extension HTTPURL {
  /// The URL with a path appended to its own after exactly one slash; its query is kept.
  ///
  /// Characters that are not allowed in a path are percent-encoded; a `%` followed by two digits counts as
  /// encoded. Throws ``APIError/Reason/invalidURL`` for a control character, for a segment `.` or `..`
  /// (plain or encoded), which servers and proxies resolve in different ways, and for `?` and `#`: state
  /// the query by parameters.
  public func appending(path: String) throws(APIError) -> HTTPURL {
    let name = path.utf8.drop { $0 == UInt8(ascii: "/") }
    guard !name.isEmpty else { return self }
    var url = self
    // Nearly every name is sent as it is.
    if Self.isPlain(name) {
      var joined = self.path
      joined.reserveCapacity(joined.utf8.count + 1 + name.count)
      while joined.utf8.last == UInt8(ascii: "/") { joined.removeLast() }
      joined += "/"
      joined += name.count == path.utf8.count ? path : String(Substring(name))
      url.path = joined
      return url
    }
    var output = Array(self.path.utf8)
    while output.last == UInt8(ascii: "/") { output.removeLast() }
    output.append(UInt8(ascii: "/"))
    output.reserveCapacity(output.count + name.count + 8)
    // Set when a segment begins like dots; only then are the segments checked again.
    var mayHaveDots = false
    var index = name.startIndex
    while index < name.endIndex {
      let byte = name[index]
      if byte == UInt8(ascii: ".") || byte == UInt8(ascii: "%"), output.last == UInt8(ascii: "/") {
        mayHaveDots = true
      }
      switch byte {
      case 0..<0x20, 0x7F:
        throw Self.refused(path, "it has the control character \(byte)")
      case UInt8(ascii: "?"), UInt8(ascii: "#"):
        throw Self.refused(path, "a path has no \(Unicode.Scalar(byte)); give the query as parameters")
      case UInt8(ascii: "%") where PercentEncoding.isTriplet(name[index...]):
        output.append(byte)
      default:
        PercentEncoding.path.append(byte, to: &output)
      }
      index = name.index(after: index)
    }
    if mayHaveDots {
      for segment in path.utf8.split(separator: UInt8(ascii: "/")) where Self.isDots(segment) {
        throw Self.refused(path, "its segment \(String(Substring(segment)).debugDescription) leads elsewhere")
      }
    }
    url.path = String(decoding: output, as: UTF8.self)
    return url
  }

  /// Whether a name has no byte to encode or to refuse, and no segment that begins with a dot.
  private static func isPlain(_ name: Substring.UTF8View) -> Bool {
    name.withContiguousStorageIfAvailable { bytes in
      var last = UInt8(ascii: "/")
      for byte in bytes {
        guard PercentEncoding.path.keeps(byte), byte != UInt8(ascii: ".") || last != UInt8(ascii: "/") else {
          return false
        }
        last = byte
      }
      return true
    } == true
  }

  /// The URL with more pairs at the end of its query, which must be encoded already.
  ///
  /// Throws ``APIError/Reason/invalidURL`` for a character that is not allowed in a query.
  public func appending(query: String) throws(APIError) -> HTTPURL {
    try Self.check(query, of: location + "?")
    var url = self
    url.append(query: query)
    return url
  }

  /// Appends pairs that are encoded.
  package mutating func append(query more: String) {
    guard !more.isEmpty else { return }
    guard let query, !query.isEmpty else {
      self.query = more
      return
    }
    self.query = query.utf8.last == UInt8(ascii: "&") ? query + more : query + "&" + more
  }

  private static func refused(_ path: String, _ why: String) -> APIError {
    APIError(.assembly, .invalidURL, "the path is not valid: \(why)", quote: path)
  }

  /// Whether a segment is one or two dots, each plain or as `%2E`.
  private static func isDots(_ segment: Substring.UTF8View.SubSequence) -> Bool {
    [".", "..", "%2e", ".%2e", "%2e.", "%2e%2e"].contains(String(Substring(segment)).lowercased())
  }
}
