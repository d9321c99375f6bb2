/// The number of durations in each of 43 ranges between 10 µs and 100 s: the summary of loads that are no longer kept.
public struct DurationHistogram: Sendable {
  /// The upper ends of the ranges, each included, in microseconds: 1, 1.5, 2, 3, 5 and 7 times each power of ten.
  package static let bounds: [Int64] = {
    var bounds: [Int64] = []
    var power: Int64 = 10
    while power < 100_000_000 {
      bounds += [10, 15, 20, 30, 50, 70].map { $0 * power / 10 }
      power *= 10
    }
    return bounds + [100_000_000]
  }()

  /// The same as durations: comparing those takes less than counting their microseconds.
  private static let ends = bounds.map { Duration.microseconds($0) }

  /// Of each range, and one for what is longer.
  private(set) var counts = [Int](repeating: 0, count: bounds.count + 1)
  /// The number of durations.
  public private(set) var count = 0
  /// The sum of the durations.
  public private(set) var sum = Duration.zero

  /// Makes an empty histogram.
  public init() {}

  /// Counts a duration.
  public mutating func add(_ duration: Duration) {
    // A duration that lies on a bound belongs below it, so parts of a microsecond count.
    let ends = Self.ends
    var (low, high) = (0, ends.count)
    while low < high {
      let middle = (low + high) / 2
      if duration <= ends[middle] { high = middle } else { low = middle + 1 }
    }
    counts[low] += 1
    count += 1
    sum += duration
  }

  /// The durations of two together.
  mutating func add(_ other: DurationHistogram) {
    for index in counts.indices { counts[index] += other.counts[index] }
    count += other.count
    sum += other.sum
  }

  /// How many durations were not longer than one of the ``bounds``.
  package func count(upTo bound: Int64) -> Int {
    zip(Self.bounds, counts).reduce(0) { $0 + ($1.0 <= bound ? $1.1 : 0) }
  }

  /// The upper end of the range that the percentile lies in, by nearest rank; nil without durations, and for one that
  /// is longer than 100 s.
  ///
  /// - Parameter fraction: 0.95 for the 95th percentile.
  public func percentile(_ fraction: Double) -> Duration? {
    guard count > 0 else { return nil }
    var rest = NearestRank.rank(fraction, of: count)
    for (bound, count) in zip(Self.bounds, counts) {
      rest -= count
      if rest <= 0 { return .microseconds(bound) }
    }
    return nil
  }
}

/// Percentiles by nearest rank: the smallest value that at least this share of all values does not exceed.
enum NearestRank {
  /// The rank, from 1.
  static func rank(_ fraction: Double, of count: Int) -> Int {
    // 0.95 of 100 is a little more than 95 in binary.
    let exact = (fraction * Double(count) - 1e-9).rounded(.up)
    // Also where it is no number.
    guard exact > 1 else { return 1 }
    return exact < Double(count) ? Int(exact) : count
  }

  static func value(_ fraction: Double, of sorted: [Duration]) -> Duration? {
    sorted.isEmpty ? nil : sorted[rank(fraction, of: sorted.count) - 1]
  }
}
