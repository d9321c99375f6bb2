public import APIKit

/// Statistics and records as one HTML file, to be sent to a colleague.
///
/// The file needs nothing else: no network, no script, no file beside it, and its Content-Security-Policy forbids all of
/// them. It has the numbers, latency over time, a histogram with percentiles, the statuses, the slowest and the failed
/// loads, and a waterfall of the phases of each flight whose record is given.
///
/// ```swift
/// let page = ReportPage(FlightStatistics.shared.report, records: FlightLog.shared.records)
/// try Data(page.html.utf8).write(to: URL(fileURLWithPath: "report.html"))
/// ```
/// What it shows is safe to pass on as a log is: APIs by their templates, hosts, reasons; no header field and no body.
public struct ReportPage: Sendable {
  let report: StatisticsReport
  let records: [FlightRecord]
  let title: String

  static let mostRows = 50
  static let mostWaterfalls = 60

  /// Makes a page.
  ///
  /// - Parameters:
  ///   - report: The numbers.
  ///   - records: The flights to show phase by phase, of which the last 60 are; none by default.
  ///   - title: The heading.
  public init(_ report: StatisticsReport, records: [FlightRecord] = [], title: String = "Loads") {
    self.report = report
    self.records = records
    self.title = title
  }

  /// The text of the file.
  public var html: String {
    var page = PageText()
    page.put("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n")
    let digest = Base64.encode(Crypto.sha256(Array(Self.style.utf8)))
    page.put(
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'sha256-"
    )
    page.put(escaped: digest)
    page.put("'\">\n<meta name=\"viewport\" content=\"width=device-width\">\n")
    page.element("title", text: title)
    // The digest is of the text between the tags, to the letter.
    page.element("style") { $0.put(escaped: Self.style) }
    page.put("</head><body>\n")
    page.element("h1", text: title)
    if report.loads.isEmpty {
      page.element("p", ["id": "none"], text: "No loads have landed.")
    } else {
      numbers(&page)
      latency(&page)
      histogram(&page)
      statuses(&page)
      groups(&page)
      let loads = report.loads.filter { $0.outcome != .cancelled }.sorted { $0.duration > $1.duration }
      table(&page, "slowest", title: "The slowest loads", of: Array(loads.prefix(20)))
      table(&page, "failed", title: "The latest failed loads", of: Array(report.failed.prefix(Self.mostRows)))
    }
    waterfalls(&page)
    page.put("</body></html>\n")
    return page.text
  }

  /// No character in it that HTML would have to escape.
  static let style = """
    body { font: 14px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 70em; padding: 0 1em; color: #1c1e21; background: #fff }
    h1 { font-size: 1.6em } h2 { font-size: 1.15em; margin: 2em 0 .5em }
    dl { display: flex; flex-wrap: wrap; gap: .6em; margin: 0 } dl div { border: 1px solid #d5d9df; border-radius: .4em; padding: .5em .9em }
    dt { color: #5b6470; font-size: .85em } dd { margin: 0; font-size: 1.3em; font-variant-numeric: tabular-nums }
    table { border-collapse: collapse; width: 100% } th, td { text-align: left; padding: .25em .6em; border-bottom: 1px solid #e4e7eb }
    td.n, th.n { text-align: right; font-variant-numeric: tabular-nums }
    svg { display: block; width: 100%; height: auto; background: #f7f8fa; border-radius: .4em }
    svg text { font: 11px system-ui, sans-serif; fill: #5b6470 }
    .axis { stroke: #c3c9d1 } .ok { fill: #2a78d6 } .bad { fill: #cf3f3f } .off { fill: #9aa3ad } .bar { fill: #2a78d6 }
    .mark { stroke: #b35900; stroke-width: 1.5 } svg text.mark { stroke: none; fill: #b35900 }
    .held { fill: #c3c9d1 } .dns { fill: #8a63d2 } .connect { fill: #e08a00 } .tls { fill: #d65db1 } .wait { fill: #35a06a } .receive { fill: #2a78d6 } .again { fill: #cf3f3f } .own { fill: #7f8b99 }
    @media (prefers-color-scheme: dark) { body { color: #e6e8eb; background: #15181c } svg { background: #1d2126 } dl div, th, td { border-color: #343a42 } dt, svg text { color: #a3acb8; fill: #a3acb8 } }
    """

  // MARK: Numbers

  private func numbers(_ page: inout PageText) {
    let summary = report.summary
    func time(_ time: Duration?) -> (shown: String, value: String) {
      (time?.shortText ?? "none", time.map { String($0.microseconds) } ?? "")
    }
    let rate = summary.successRate
    let rows: [(id: String, name: String, shown: String, value: String)] = [
      ("total", "loads", String(summary.total), String(summary.total)),
      (
        "success-rate", "success rate", rate.map { "\(($0 * 1000).rounded() / 10) %" } ?? "none",
        rate.map { String($0) } ?? ""
      ),
      ("failed-count", "failed", String(summary.failed), String(summary.failed)),
      ("cancelled", "cancelled", String(summary.cancelled), String(summary.cancelled)),
      ("mean", "mean", time(summary.mean).shown, time(summary.mean).value),
      ("median", "median", time(summary.median).shown, time(summary.median).value),
      ("p95", "p95", time(summary.p95).shown, time(summary.p95).value),
      ("p99", "p99", time(summary.p99).shown, time(summary.p99).value),
      ("since-start", "since the beginning", String(report.totalSinceStart), String(report.totalSinceStart)),
    ]
    page.element("dl") { page in
      for row in rows {
        page.element("div") { page in
          page.element("dt", text: row.name)
          page.element("dd", ["id": row.id, "data-value": row.value], text: row.shown)
        }
      }
    }
  }

  private func groups(_ page: inout PageText) {
    page.element("h2", text: "By API, service, host and origin")
    page.element("table", ["id": "groups"]) { page in
      heads(&page, ["", "", "loads", "success rate", "failed", "median", "p95", "p99"], numbersFrom: 2)
      for (kind, groups) in [
        ("api", report.byAPI), ("service", report.byService), ("host", report.byHost),
        ("address", report.byAddress), ("origin", report.byOrigin),
      ] {
        for group in groups.prefix(Self.mostRows) {
          let summary = group.summary
          page.element("tr", ["data-kind": kind]) { page in
            page.element("td", text: kind)
            page.element("td", text: group.name)
            for number in [
              String(summary.total), summary.successRate.map { "\(($0 * 1000).rounded() / 10) %" } ?? "none",
              String(summary.failed), summary.median?.shortText ?? "none", summary.p95?.shortText ?? "none",
              summary.p99?.shortText ?? "none",
            ] {
              page.element("td", ["class": "n"], text: number)
            }
          }
        }
      }
    }
  }

  private func table(_ page: inout PageText, _ id: String, title: String, of loads: [LandedLoad]) {
    page.element("h2", text: title)
    guard !loads.isEmpty else { return page.element("p", ["id": id], text: "None.") }
    page.element("table", ["id": id]) { page in
      heads(
        &page, ["flight", "API", "host", "status", "reason", "start", "duration", "attempts"], numbersFrom: 6)
      for load in loads {
        page.element("tr") { page in
          for cell in [
            load.flight.description, load.api.description, load.host ?? "–",
            load.status.map { String($0) } ?? "–",
            load.reason ?? "–", ISO8601.text(secondsSince1970: load.secondsSince1970) ?? "–",
          ] {
            page.element("td", text: cell)
          }
          page.element(
            "td", ["class": "n", "data-value": String(load.duration.microseconds)],
            text: load.duration.shortText)
          page.element("td", ["class": "n"], text: String(load.attempts.count))
        }
      }
    }
  }

  private func heads(_ page: inout PageText, _ names: [String], numbersFrom: Int) {
    page.element("tr") { page in
      for (index, name) in names.enumerated() {
        page.element("th", index >= numbersFrom ? ["class": "n"] : [:], text: name)
      }
    }
  }
}
