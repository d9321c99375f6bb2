extension HTTPURL {
  /// The URL that a reference in a response to this URL means: `../b?c`, `//host/d`, `https://e/f`.
  ///
  /// Dot segments are removed and a fragment is dropped. Characters that are not allowed in a path or a
  /// query are percent-encoded, because some servers send them unencoded. Throws
  /// ``APIError/Reason/invalidURL`` when the result is not an absolute URL.
  /// - SeeAlso: <https://www.rfc-editor.org/rfc/rfc3986#section-5>
  public func resolving(_ reference: String) throws(APIError) -> HTTPURL {
    // By bytes: a mark behind the number sign makes one character with it.
    let reference = Substring(reference.trimmingSpaces().utf8.prefix { $0 != UInt8(ascii: "#") })
    let scheme = Self.scheme(of: reference)
    if scheme == "data" { return try HTTPURL(String(reference)) }
    var target = Self.encodingStrays(String(reference))
    if target.isEmpty {
      target = string
    } else if target.hasPrefix("//") {
      target = "\(self.scheme):\(target)"
    } else if target.hasPrefix("/") {
      target = authorityText + target
    } else if target.hasPrefix("?") {
      target = authorityText + path + target
    } else if scheme == nil {
      // RFC 3986, 5.2.3: the base path is kept up to its last slash.
      target = authorityText + (path.lastIndex(of: "/").map { path[...$0] } ?? "/") + target
    }
    var url = try HTTPURL(target).removingDotSegments()
    // A server that is asked with a secret in the path often has it in its links.
    url.pathSecrets = pathSecrets
    return url
  }

  private func removingDotSegments() -> HTTPURL {
    var copy = self
    copy.path = Self.removingDotSegments(path)
    return copy
  }

  /// The scheme of a reference, in lower case: the characters before a colon; nil when there is none.
  private static func scheme(of reference: Substring) -> String? {
    guard let colon = reference.firstIndex(of: ":"), isScheme(reference[..<colon]) else { return nil }
    return reference[..<colon].lowercased()
  }

  /// RFC 3986, 5.2.4, segment by segment.
  private static func removingDotSegments(_ path: String) -> String {
    guard path.contains("/.") else { return path }
    var kept: [Substring] = []
    let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    for (index, segment) in segments.enumerated() {
      let isLast = index == segments.count - 1
      switch segment {
      case ".":
        if isLast { kept.append("") }
      case "..":
        if !kept.isEmpty { kept.removeLast() }
        if isLast { kept.append("") }
      default: kept.append(segment)
      }
    }
    return "/" + kept.joined(separator: "/")
  }

  /// Percent-encodes what is not allowed in a path or a query, including a percent sign without two digits.
  private static func encodingStrays(_ text: String) -> String {
    let bytes = Array(text.utf8)
    var out: [UInt8] = []
    out.reserveCapacity(bytes.count)
    for (index, byte) in bytes.enumerated() {
      if PercentEncoding.isTriplet(bytes[index...]) {
        out.append(byte)
      } else {
        PercentEncoding.target.append(byte, to: &out)
      }
    }
    return String(decoding: out, as: UTF8.self)
  }
}
