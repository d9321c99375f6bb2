import Foundation

/// How long the latest loads of one API took, in classes that grow by a fifth: enough for a percentile, in a fixed room.
struct LatencyWindow {
  /// Fewer samples say nothing.
  static let fewest = 100
  /// So many fill a half; the older half is then forgotten.
  private static let half = 500
  /// From 1 ms, each class 1.19 times the one before: up to an hour.
  private static let classes = 88

  private var recent = [UInt32](repeating: 0, count: LatencyWindow.classes)
  private var older = [UInt32](repeating: 0, count: LatencyWindow.classes)
  private var recentCount = 0
  private var olderCount = 0

  var count: Int { recentCount + olderCount }

  mutating func add(_ time: Duration) {
    if recentCount == Self.half {
      (older, olderCount) = (recent, recentCount)
      (recent, recentCount) = ([UInt32](repeating: 0, count: Self.classes), 0)
    }
    recent[Self.index(of: time)] += 1
    recentCount += 1
  }

  /// The time in which so many of a hundred were done, at most a fifth too long; nil with too few samples.
  func percentile(_ percent: Int) -> Duration? {
    guard count >= Self.fewest else { return nil }
    let wanted = (count * percent + 99) / 100
    var seen = 0
    for index in 0..<Self.classes {
      seen += Int(recent[index] + older[index])
      if seen >= wanted { return Duration.milliseconds(1) * pow(2.0, Double(index) / 4) }
    }
    return nil
  }

  private static func index(of time: Duration) -> Int {
    let milliseconds = time / .milliseconds(1)
    guard milliseconds > 1 else { return 0 }
    return min(classes - 1, Int((log2(milliseconds) * 4).rounded(.up)))
  }
}
