import APIKit

/// The time of all flights of a page as places from 0 to 1,000. A time in which nothing is in flight is cut to a tenth of that
/// in which something is, so that two bursts an hour apart can both be seen.
struct TimeAxis {
  private struct Part {
    var begin, end: Double
    var place = 0.0
  }

  private var parts: [Part] = []
  private var scale = 0.0
  /// Where a time was cut out.
  private(set) var cuts: [Double] = []

  static let width = 1000.0

  /// - Parameter spans: When each flight began and landed, in seconds.
  init(_ spans: [(begin: Double, end: Double)]) {
    for span in spans.sorted(by: { $0.begin < $1.begin }) {
      if let last = parts.last, span.begin <= last.end {
        parts[parts.count - 1].end = max(last.end, span.end)
      } else {
        parts.append(Part(begin: span.begin, end: max(span.begin, span.end)))
      }
    }
    let busy = parts.reduce(0) { $0 + $1.end - $1.begin }
    let longestGap = busy / 10
    var at = 0.0
    var cutPlaces: [Double] = []
    for index in parts.indices {
      if index > 0 {
        let gap = parts[index].begin - parts[index - 1].end
        if gap > longestGap { cutPlaces.append(at + longestGap / 2) }
        at += min(gap, longestGap)
      }
      parts[index].place = at
      at += parts[index].end - parts[index].begin
    }
    scale = at > 0 ? Self.width / at : 0
    cuts = cutPlaces.map { $0 * scale }
  }

  /// Whether a time was cut out.
  var isCut: Bool { !cuts.isEmpty }

  /// From the first beginning to the last landing.
  var length: Duration { offset(parts.last?.end ?? 0) }

  /// How long after the first beginning.
  func offset(_ time: Double) -> Duration { .seconds(1) * max(0, time - (parts.first?.begin ?? time)) }

  /// Where a time stands.
  func place(_ time: Double) -> Double {
    guard let part = parts.last(where: { $0.begin <= time }) else { return 0 }
    return min(Self.width, (part.place + min(time, part.end) - part.begin) * scale)
  }
}
