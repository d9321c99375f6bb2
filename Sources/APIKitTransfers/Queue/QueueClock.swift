import APIKit

/// The time of a queue, in seconds: it passes while the process and the machine are off, and a clock that is set forward or
/// back does not change it.
///
/// Within one start of the machine the steady clock counts, which all processes share. Over a restart there is only the wall
/// clock: the time between its last known state and now, never less than nothing. The last known state is written down at
/// least once a minute while the queue is used, so a clock that was set wrongly before a restart adds nothing.
struct QueueClock: Sendable {
  /// One moment on all clocks.
  struct Anchor: Sendable, Hashable {
    var boot: String
    var steady: Double
    var wall: Double
    var time: Double
  }

  /// What is written down of an anchor in the place of its boot: with a checksum, since a flipped bit would hold up all items,
  /// or end them.
  static func text(of anchor: Anchor) -> String {
    let sums = [anchor.steady, anchor.wall, anchor.time].map(\.bitPattern)
    return "\(anchor.boot)#\(sums.reduce(Checksum.of(anchor.boot)) { Checksum.combined($0, $1) })"
  }

  /// Whether an anchor is as it was written down.
  ///
  /// - Parameters:
  ///   - anchor: Its boot is the text, and then the boot.
  ///   - boot: The present one. An earlier version has written a boot alone, which is as long.
  static func isWhole(_ anchor: inout Anchor, at boot: String) -> Bool {
    let text = anchor.boot
    guard let mark = text.lastIndex(of: "#") else { return text.utf8.count == boot.utf8.count }
    anchor.boot = String(text[..<mark])
    return Self.text(of: anchor) == text
  }

  /// The id of the machine's present boot.
  let boot: String
  private let source: any TimeSource
  private(set) var anchor: Anchor

  init(_ source: any TimeSource, boot: String = Self.machineBoot, from last: Anchor?) {
    self.source = source
    self.boot = boot
    let now = (source.now.inSeconds, source.wallClock)
    guard let last else {
      anchor = Anchor(boot: boot, steady: now.0, wall: now.1, time: 0)
      return
    }
    anchor = last
    if last.boot != boot {
      anchor = Anchor(
        boot: boot, steady: now.0, wall: now.1, time: last.time + max(0, now.1 - last.wall))
    }
  }

  /// The present time.
  var now: Double { anchor.time + max(0, source.now.inSeconds - anchor.steady) }

  /// The anchor to write down; nil when the last is not a minute old.
  mutating func renewedAnchor() -> Anchor? {
    let steady = source.now.inSeconds
    guard steady - anchor.steady >= 60 else { return nil }
    anchor = Anchor(boot: boot, steady: steady, wall: source.wallClock, time: now)
    return anchor
  }

  /// That of this machine.
  static let machineBoot = SystemBoot.identity ?? ""
}
