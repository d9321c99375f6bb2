import APIKit
import APIKitReports
import Reformers

/// One picture of the dashboard.
struct MonitorFrame {
  let report: StatisticsReport
  let inAir: [FlightRegistry.Entry]
  /// By the clock that the loads were measured with.
  let now: Duration
  let begin: Duration

  /// Columns and rows of a terminal.
  struct Size: Equatable {
    var columns: Int
    var rows: Int
  }

  /// Landings in the last seconds, the latest last.
  private func rates(_ seconds: Int) -> [Int] {
    var rates = [Int](repeating: 0, count: seconds)
    for load in report.loads {
      let age = Int((now - load.landedAt) / .seconds(1))
      if age >= 0, age < seconds { rates[seconds - 1 - age] += 1 }
    }
    return rates
  }

  /// The last whole second: the present one has only begun.
  private var rate: Int { rates(2)[0] }

  private var percentiles: String {
    let summary = report.summary
    let times = [("median", summary.median), ("p95", summary.p95), ("p99", summary.p99)]
    return times.map { "\($0.0) \(Formatting.milliseconds($0.1))" }.joined(separator: "  ")
  }

  private var success: String {
    report.summary.successRate.map { "\(($0 * 1000).rounded() / 10) %" } ?? "none"
  }

  /// Everything in one line, for where there is no terminal.
  var line: String {
    "\(Int((now - begin) / .seconds(1))) s  \(report.totalSinceStart) landed  \(rate)/s  \(inAir.count) in the air  "
      + "success \(success)  \(percentiles)"
  }

  /// The same as plain values.
  var plain: [String: Any?] {
    let summary = report.summary
    func milliseconds(_ time: Duration?) -> Double? { time.map { $0 / .milliseconds(1) } }
    return [
      "seconds": Int((now - begin) / .seconds(1)), "landed": report.totalSinceStart, "perSecond": rate,
      "inTheAir": inAir.count, "successRate": summary.successRate,
      "medianMilliseconds": milliseconds(summary.median),
      "p95Milliseconds": milliseconds(summary.p95), "p99Milliseconds": milliseconds(summary.p99),
    ]
  }

  /// The picture: at most as many lines as there are rows, none wider than the columns.
  func lines(_ size: Size, _ palette: Palette) -> [String] {
    guard size.columns > 0, size.rows > 0 else { return [] }
    var lines: [(text: String, ink: Palette.Ink?)] = [
      ("DemoCLI monitor, \(Int((now - begin) / .seconds(1))) s; Ctrl-C ends it", .head),
      (
        "\(report.totalSinceStart) landed  \(rate)/s  \(inAir.count) in the air  success \(success)",
        report.summary.failed > 0 ? .warning : nil
      ),
      (percentiles, nil),
      (Self.bars(rates(min(60, max(1, size.columns - 12)))) + "  per second", nil),
      ("", nil),
    ]
    lines.insert(
      contentsOf: Wrapping.lines(LoadMix.provoked, width: size.columns).map { ($0, .quiet) }, at: 1)
    lines += table(size.columns).map { ($0, nil) }
    if !inAir.isEmpty {
      lines.append(("In the air", .head))
      lines += inAir.prefix(8).map { entry in
        ("  \(entry.id)  \(entry.call.method) \(entry.call.apiName)  \(entry.state.rawValue)", nil)
      }
    }
    let failed = report.failed.prefix(5)
    if !failed.isEmpty {
      lines.append(("Failed last", .head))
      lines += failed.map { ("  \($0.flight)  \($0.api)  \($0.reason ?? "")", .warning) }
    }
    return lines.prefix(size.rows).map { line in
      let text = DisplayWidth.truncate(DisplayWidth.printable(line.text), to: size.columns)
      return line.ink.map { palette.paint(text, $0) } ?? text
    }
  }

  /// At most 71 columns wide, and no narrower than 45: then the lines are cut off.
  private func table(_ columns: Int) -> [String] {
    let width = min(36, max(10, columns - 35))
    func row(_ name: String, _ cells: [String]) -> String {
      DisplayWidth.fit(DisplayWidth.printable(name), to: width)
        + zip(cells, [7, 8, 10, 10]).map { DisplayWidth.fit($0, to: $1, alignment: .right) }.joined()
    }
    let head = row("API", ["loads", "failed", "median", "p95"])
    return [head]
      + report.byAPI.prefix(12).map { group in
        row(
          group.name,
          [
            String(group.summary.total), String(group.summary.failed),
            Formatting.milliseconds(group.summary.median), Formatting.milliseconds(group.summary.p95),
          ])
      } + [""]
  }

  private static func bars(_ counts: [Int]) -> String {
    let most = max(1, counts.max() ?? 1)
    let steps = Array(" ▁▂▃▄▅▆▇█")
    return String(counts.map { steps[($0 * (steps.count - 1) + most - 1) / most] })
  }
}

extension Formatting {
  /// `12.3 ms`; `none` for none.
  static func milliseconds(_ time: Duration?) -> String {
    time.map { "\(($0 / .microseconds(100)).rounded() / 10) ms" } ?? "none"
  }
}
