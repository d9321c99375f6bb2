import Foundation

/// Changes of prices, made up of real homes: one for each beat of the wall clock, the same for everybody who asks, and
/// after a restart of the server too.
struct PriceFeed: Sendable {
  let homes: [Home]

  /// The changes that one client follows.
  struct Selection: Sendable {
    /// Milliseconds between two changes.
    var every: Int
    /// The place that is followed; nil for all.
    var place: String?
    fileprivate var homes: [Home]
  }

  /// The changes in a place, or everywhere; nil when there is no such place.
  func selection(every: Int, place: String?) -> Selection? {
    guard let place else { return Selection(every: every, place: nil, homes: homes) }
    let here = homes.filter { $0.place.lowercased() == place.lowercased() }
    guard let first = here.first else { return nil }
    return Selection(every: every, place: first.place, homes: here)
  }
}

extension PriceFeed.Selection {
  /// The change of a number, as JSON.
  func change(_ number: Int) -> JSON {
    // Fibonacci hashing: neighbours are far apart.
    let hash = UInt64(bitPattern: Int64(number)) &* 0x9E37_79B9_7F4A_7C15
    let home = homes[Int((hash >> 32) % UInt64(homes.count))]
    let percent = Int(hash >> 24 & 0xFF) % 9 - 4
    let step = home.price / 100 * (percent == 0 ? 5 : percent)
    return [
      "number": .int(number), "home": .string("ames-\(home.number)"), "place": .string(home.place),
      "was": .int(home.price), "price": .int(home.price + step),
    ]
  }
}

/// Which changes are due for one client, by the wall clock.
struct PriceClock {
  /// How many changes that a client has missed are sent to it.
  static let mostMissed = 100

  private let every: Int64
  /// What the wall clock is ahead of the monotonic one, in nanoseconds; it may be set meanwhile, but not here.
  private let offset: Int64
  /// The number of the next change.
  private(set) var next: Int

  /// - Parameter last: The number of the last change that the client knows; nil when it knows none.
  init(every milliseconds: Int, after last: Int?, now: Int64) {
    every = Int64(milliseconds) * 1_000_000
    offset = Int64(Date().timeIntervalSince1970 * 1e9) - now
    let present = Int((now + offset) / every)
    next = present + 1
    if let last, last < present { next = max(last + 1, present - Self.mostMissed) }
  }

  /// Monotonic nanoseconds at which the next change is due.
  var nextTime: Int64 { Int64(next) * every - offset }

  /// The numbers that are due.
  mutating func take(now: Int64) -> Range<Int> {
    let first = next
    while nextTime <= now { next += 1 }
    return first..<next
  }
}
