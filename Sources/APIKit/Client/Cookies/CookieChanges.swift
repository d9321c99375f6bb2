/// What a jar has changed since its last write, so that it can be merged into a file that other jars and processes
/// write as well. Session cookies are no part of it.
struct CookieChanges {
  private struct CookieKey: Hashable {
    let name: ExactText
    let domain: String
    let path: ExactText

    init(_ cookie: Cookie) {
      (name, domain, path) = (ExactText(cookie.name), cookie.domain, ExactText(cookie.path))
    }
  }

  /// Whether everything that was there before is removed.
  private var removesAll = false
  /// What was set, and nil for what was removed.
  private var latest: [CookieKey: Cookie?] = [:]

  var isEmpty: Bool { !removesAll && latest.isEmpty }

  mutating func set(_ cookie: Cookie) { latest[CookieKey(cookie)] = .some(cookie) }

  mutating func remove(_ cookie: Cookie) { latest[CookieKey(cookie)] = .some(nil) }

  mutating func removeAll() {
    removesAll = true
    latest = [:]
  }

  /// Puts changes that could not be written before these.
  mutating func putBack(_ earlier: CookieChanges) {
    guard !removesAll else { return }
    removesAll = earlier.removesAll
    latest.merge(earlier.latest) { own, _ in own }
  }

  /// The cookies with the changes made: a replaced one keeps its place.
  func applied(to cookies: [Cookie]) -> [Cookie] {
    var left = latest
    let kept = removesAll ? [] : cookies
    let replaced = kept.compactMap { cookie -> Cookie? in
      guard let change = left.removeValue(forKey: CookieKey(cookie)) else { return cookie }
      return change
    }
    // In no particular order among themselves; the jar knows their order and sorts.
    return replaced + left.values.compactMap { $0 }
  }
}
