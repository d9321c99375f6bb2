import APIKit

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The drawings, as SVG in the page.
extension ReportPage {
  private static let width = 900.0

  /// A dot for each load: when it landed, and how long it took, on a logarithmic scale.
  func latency(_ page: inout PageText) {
    let loads = report.loads
    guard let first = loads.map(\.landedAt).min(), let last = loads.map(\.landedAt).max() else { return }
    let span = max((last - first) / .microseconds(1), 1)
    let times = loads.map { max(1, $0.duration / .microseconds(1)) }
    let (low, high) = Self.decades(times)
    let (left, top, height) = (60.0, 10.0, 220.0)
    func y(_ microseconds: Double) -> Double {
      top + height * (1 - (log10(microseconds) - low) / max(high - low, 1))
    }
    page.element("h2", text: "Latency over time")
    page.element("svg", ["id": "latency", "viewBox": "0 0 900 260", "role": "img"]) { page in
      page.element("title", text: "Each load by when it landed and how long it took")
      for power in stride(from: low, through: high, by: 1) {
        let at = y(pow(10, power))
        line(&page, "axis", from: (left, at), to: (Self.width - 10, at))
        let time = Duration.microseconds(Int64(pow(10, power))).shortText
        text(&page, time, at: (left - 6, at + 4), anchor: "end")
      }
      for (load, time) in zip(loads, times) {
        let x = left + (Self.width - left - 20) * ((load.landedAt - first) / .microseconds(1)) / span
        let kind = load.outcome == .succeeded ? "ok" : load.outcome == .failed ? "bad" : "off"
        page.element("circle", ["class": kind, "cx": Self.shown(x), "cy": Self.shown(y(time)), "r": "2.5"])
      }
      text(&page, "0", at: (left, 252))
      text(&page, "+" + (last - first).shortText, at: (Self.width - 10, 252), anchor: "end")
    }
  }

  /// How many loads took how long, with lines at the percentiles.
  func histogram(_ page: inout PageText) {
    let durations = report.summary.durations
    guard let shortest = durations.first, let longest = durations.last else { return }
    let (low, high) = Self.decades([max(1, shortest / .microseconds(1)), max(1, longest / .microseconds(1))])
    let bars = 60
    func place(_ time: Duration) -> Double {
      (log10(max(1, time / .microseconds(1))) - low) / max(high - low, 1)
    }
    var counts = [Int](repeating: 0, count: bars)
    for time in durations { counts[min(bars - 1, Int(place(time) * Double(bars)))] += 1 }
    let most = Double(counts.max() ?? 1)
    let (left, wide, base) = (60.0, Self.width - 80, 200.0)
    page.element("h2", text: "Histogram")
    page.element("svg", ["id": "histogram", "viewBox": "0 0 900 230", "role": "img"]) { page in
      page.element("title", text: "How many loads took how long; lines at the percentiles")
      for (index, count) in counts.enumerated() where count > 0 {
        let height = 160 * Double(count) / most
        page.element(
          "rect",
          [
            "class": "bar", "x": Self.shown(left + wide * Double(index) / Double(bars)),
            "y": Self.shown(base - height), "width": Self.shown(wide / Double(bars) - 1),
            "height": Self.shown(height), "data-value": String(count),
          ])
      }
      line(&page, "axis", from: (left, base), to: (left + wide, base))
      for power in stride(from: low, through: high, by: 1) {
        let x = left + wide * (power - low) / max(high - low, 1)
        let time = Duration.microseconds(Int64(pow(10, power))).shortText
        text(&page, time, at: (x, base + 16), anchor: "middle")
      }
      let marks = [("p50", report.summary.median), ("p95", report.summary.p95), ("p99", report.summary.p99)]
      for (index, (name, time)) in marks.enumerated() {
        guard let time else { continue }
        let x = left + wide * place(time)
        line(&page, "mark", from: (x, 14), to: (x, base))
        page.element(
          "text", ["class": "mark", "x": Self.shown(x + 3), "y": String(12 + 12 * index)],
          text: "\(name) \(time.shortText)")
      }
    }
  }

  /// A bar for each status.
  func statuses(_ page: inout PageText) {
    let statuses = report.summary.statuses.sorted { $0.key < $1.key }
    let most = Double(statuses.map(\.value).max() ?? 1)
    page.element("h2", text: "Statuses")
    guard !statuses.isEmpty else { return page.element("p", ["id": "statuses"], text: "None.") }
    let height = 22 * statuses.count + 10
    page.element("svg", ["id": "statuses", "viewBox": "0 0 900 \(height)", "role": "img"]) { page in
      page.element("title", text: "How often each status was the last one")
      for (index, (status, count)) in statuses.enumerated() {
        let y = Double(8 + 22 * index)
        text(&page, String(status), at: (52, y + 12), anchor: "end")
        let wide = max(1, 760 * Double(count) / most)
        page.element(
          "rect",
          [
            "class": (200..<400).contains(status) ? "ok" : "bad", "x": "60", "y": Self.shown(y),
            "width": Self.shown(wide), "height": "16", "data-status": String(status),
            "data-value": String(count),
          ])
        text(&page, String(count), at: (66 + wide, y + 12))
      }
    }
  }

  // MARK: Parts

  func line(
    _ page: inout PageText, _ kind: String, from: (x: Double, y: Double), to: (x: Double, y: Double)
  ) {
    page.element(
      "line",
      [
        "class": kind, "x1": Self.shown(from.x), "y1": Self.shown(from.y), "x2": Self.shown(to.x),
        "y2": Self.shown(to.y),
      ])
  }

  func text(_ page: inout PageText, _ text: String, at: (x: Double, y: Double), anchor: String = "start") {
    page.element("text", ["x": Self.shown(at.x), "y": Self.shown(at.y), "text-anchor": anchor], text: text)
  }

  static func shown(_ number: Double) -> String {
    let tenths = (number * 10).rounded() / 10
    return tenths == tenths.rounded() ? String(Int(tenths)) : String(tenths)
  }

  /// The powers of ten around the times, in microseconds.
  private static func decades(_ times: [Double]) -> (low: Double, high: Double) {
    let low = log10(times.min() ?? 1).rounded(.down)
    return (low, max(low + 1, log10(times.max() ?? 10).rounded(.up)))
  }
}
