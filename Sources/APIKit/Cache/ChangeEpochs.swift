/// Counts changes of tags and URLs on their servers, so that a response to a request from before a change is recognised.
struct ChangeEpochs {
  /// The number of changes so far.
  private(set) var now: UInt64 = 0
  private var latest: [String: UInt64] = [:]
  private static let all = "all"
  /// The most names whose latest change is kept; beyond it every earlier request counts as outdated, which is safe.
  private static let mostNames = 4096

  /// Records a change of tags and URLs.
  mutating func advance(tags: Set<String> = [], urls: [HTTPURL] = []) {
    now += 1
    if latest.count > Self.mostNames { latest = [Self.all: now] }
    for tag in tags { latest["tag " + tag] = now }
    for url in urls { latest["url " + url.cacheText] = now }
  }

  /// Records a change of everything.
  mutating func advanceAll() {
    now += 1
    latest = [Self.all: now]
  }

  /// The number of the latest change of any of these.
  func latest(tags: some Sequence<String>, url: HTTPURL) -> UInt64 {
    guard now > 0 else { return 0 }
    return tags.reduce(max(latest[Self.all] ?? 0, latest["url " + url.cacheText] ?? 0)) {
      max($0, latest["tag " + $1] ?? 0)
    }
  }
}
