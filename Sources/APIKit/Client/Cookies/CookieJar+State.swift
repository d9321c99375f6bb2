extension CookieJar {
  /// A cookie with its place in the order.
  struct Kept {
    var cookie: Cookie
    /// The order of creation and of use: counters, because a clock is too coarse.
    var created: UInt64
    var used: UInt64
  }

  /// What a jar holds.
  struct JarState {
    var byDomain: [String: [Kept]] = [:]
    var ticks: UInt64 = 0
    var isLoaded = false
    /// Whether there was a file when it was read or written.
    var hasSeenFile = false
    /// What the file does not have yet.
    var changes = CookieChanges()
    var isWriteDue = false
    /// The domains whose cookies ``CookieJar/removeAll()`` has removed, by the generation that ended then.
    var ended: [Int: Set<String>] = [:]

    var number: Int { byDomain.values.reduce(0) { $0 + $1.count } }

    /// The cookies that are written, in the order of their creation.
    var lasting: [Cookie] {
      byDomain.values.joined().filter { $0.cookie.expires != nil }.sorted { $0.created < $1.created }
        .map(\.cookie)
    }

    /// Notes that a cookie is removed.
    mutating func forget(_ cookie: Cookie) { if cookie.expires != nil { changes.remove(cookie) } }

    mutating func remove(_ cookie: Cookie) {
      forget(cookie)
      byDomain[cookie.domain]?.removeAll { cookie.replaces($0.cookie) }
      if byDomain[cookie.domain]?.isEmpty == true { byDomain[cookie.domain] = nil }
    }

    /// Replaces the cookies that are written by those of a file; session cookies stay.
    mutating func takeOver(_ cookies: [Cookie]) {
      let before = byDomain
      byDomain = byDomain.mapValues { $0.filter { $0.cookie.expires == nil } }.filter { !$0.value.isEmpty }
      for cookie in cookies where !(byDomain[cookie.domain]?.contains { cookie.replaces($0.cookie) } ?? false)
      {
        ticks += 1
        let known = before[cookie.domain]?.first { cookie.replaces($0.cookie) }
        byDomain[cookie.domain, default: []].append(
          Kept(cookie: cookie, created: known?.created ?? ticks, used: known?.used ?? ticks))
      }
    }
  }
}
