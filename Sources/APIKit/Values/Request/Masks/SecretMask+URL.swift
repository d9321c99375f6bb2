extension SecretMask {
  /// A text with URLs in it: their logins and the secrets in their parameters, queries and fragments replaced.
  package func urls(in text: String) -> String {
    guard isOn else { return text }
    var output = ""
    var rest = withoutLogins(text)[...]
    // By scalars: a mark and an accent behind it are one character.
    while let mark = rest.unicodeScalars.firstIndex(where: { "?#;".unicodeScalars.contains($0) }) {
      // A path's parameter ends before the next one (RFC 3986, 3.3).
      let ends = (rest.unicodeScalars[mark] == ";" ? " >\"#?;/,&" : " >\"#").unicodeScalars
      let start = rest.unicodeScalars.index(after: mark)
      let end = rest.unicodeScalars[start...].firstIndex { ends.contains($0) } ?? rest.endIndex
      output += rest[..<start]
      output += query(String(rest[start..<end]))
      rest = rest[end...]
    }
    return output + rest
  }

  /// User and password before the hosts of URLs replaced.
  private func withoutLogins(_ text: String) -> String {
    guard text.utf8.contains(UInt8(ascii: "@")) else { return text }
    // By bytes: a mark behind one of these makes one character with it.
    var output = ""
    var rest = text.utf8[...]
    while let slashes = rest.firstRange(of: "//".utf8) {
      let isAuthority = text.utf8[..<slashes.lowerBound].last.map { ":<=\"'( ".utf8.contains($0) } ?? true
      output += Substring(rest[..<slashes.upperBound])
      rest = rest[slashes.upperBound...]
      guard isAuthority else { continue }
      let authority = rest.prefix { !"/?#\\ >\"".utf8.contains($0) }
      guard let at = authority.lastIndex(of: UInt8(ascii: "@")) else { continue }
      output += replacement(String(Substring(authority[..<at])))
      rest = rest[at...]
    }
    return output + Substring(rest)
  }

  /// Of a URL the path, without the values of secret names that its endpoint has put there, or that stand there with their
  /// names: `a;jsessionid=…` (RFC 3986, 3.3).
  func path(of url: HTTPURL) -> String {
    guard isOn, !url.pathSecrets.values.isEmpty || url.path.utf8.contains(UInt8(ascii: ";")) else {
      return url.path
    }
    // A service may have changed the segment, such as by an extension.
    return url.path.split(separator: "/", omittingEmptySubsequences: false).map { segment in
      for (name, text) in url.pathSecrets.values where segment.contains(text) && hides(name) {
        return replacement(PercentEncoding.decode(segment) ?? String(segment))
      }
      let parts = segment.split(separator: ";", omittingEmptySubsequences: false)
      return ([String(parts[0])] + parts.dropFirst().map(pair)).joined(separator: ";")
    }.joined(separator: "/")
  }

  /// A URL for people: the secrets of its path and its query replaced.
  func text(of url: HTTPURL) -> String {
    url.authorityText + path(of: url) + (url.query.map { "?" + query($0) } ?? "")
  }

  /// A URL, the secrets of its path and its query replaced.
  package func url(_ url: HTTPURL) -> String {
    // A URL has no other characters than those of ASCII.
    isOn ? text(of: url).replacingMark() : url.string
  }

  /// A query or a form body.
  package func query(_ query: String) -> String {
    guard isOn else { return query }
    return query.utf8.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
      .map { pair(Substring($0)) }.joined(separator: "&")
  }

  private func pair(_ pair: Substring) -> String {
    let equals = pair.utf8.firstIndex(of: UInt8(ascii: "="))
    let start = equals.map { pair.utf8.index(after: $0) } ?? pair.startIndex
    let value = pair[start...]
    // As far as it can be read: a receiver may read the rest.
    let text = PercentEncoding.decode(form: value.utf8)
    // A name that cannot be read may be any.
    if let equals, PercentEncoding.decode(pair[..<equals], plusIsSpace: true).map(hides) ?? true {
      return pair[..<start] + replacement(text)
    }
    let masked = nested(text, isWhole: true)
    return masked == text ? String(pair) : pair[..<start] + Self.encoding(masked)
  }

  /// Percent-encoded but for the marks, which are for people.
  static func encoding(_ text: String) -> String {
    text.split(separator: mark, omittingEmptySubsequences: false).map {
      PercentEncoding.component.encode(String($0))
    }
    .joined(separator: mark)
  }
}

extension StringProtocol {
  /// With the mark percent-encoded.
  fileprivate func replacingMark() -> String {
    split(separator: SecretMask.mark, omittingEmptySubsequences: false).joined(
      separator: PercentEncoding.component.encode(SecretMask.mark))
  }
}
