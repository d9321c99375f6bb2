/// Which operations are kept: each list of patterns is empty or has one that fits, and none that excludes.
struct Selection: Equatable {
  var tags: [String] = []
  var paths: [String] = []
  var operations: [String] = []

  func keeps(path: String, operation: String, tags: [String]) -> Bool {
    Self.fit(paths, [path]) && Self.fit(operations, [operation])
      && Self.fit(self.tags, tags.isEmpty ? [""] : tags)
  }

  /// Whether one of the texts fits one of the patterns, and none a pattern with `!`.
  private static func fit(_ patterns: [String], _ texts: [String]) -> Bool {
    let excluding = patterns.filter { $0.hasPrefix("!") }.map { String($0.dropFirst()) }
    let including = patterns.filter { !$0.hasPrefix("!") }
    if texts.contains(where: { text in excluding.contains { matches($0, text) } }) { return false }
    return including.isEmpty || texts.contains { text in including.contains { matches($0, text) } }
  }

  /// Whether a text fits a pattern, in which `*` stands for any text and `?` for one character.
  static func matches(_ pattern: String, _ text: String) -> Bool {
    let (pattern, text) = (Array(pattern.unicodeScalars), Array(text.unicodeScalars))
    var (p, t) = (0, 0)
    var star: (pattern: Int, text: Int)?
    while t < text.count {
      if p < pattern.count, pattern[p] == "*" {
        star = (p, t)
        p += 1
      } else if p < pattern.count, pattern[p] == "?" || pattern[p] == text[t] {
        (p, t) = (p + 1, t + 1)
      } else if let last = star {
        // The star takes one character more; earlier stars need not be asked again.
        star = (last.pattern, last.text + 1)
        (p, t) = (last.pattern + 1, last.text + 1)
      } else {
        return false
      }
    }
    while p < pattern.count, pattern[p] == "*" { p += 1 }
    return p == pattern.count
  }
}
