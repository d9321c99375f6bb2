public import APIKit

/// Statistics, records and exchanges as one HTML file, which can be sent to a colleague.
///
/// The file needs no network and no other file. Its Content-Security-Policy forbids both, and all scripts and styles except its
/// own. It has the numbers, latency over time, a histogram with percentiles, the statuses, the slowest, the failed and the
/// latest 1,000 loads with a filter, and the flights on one time axis. A load links to its record, its requests and, with an
/// archive, to the requests and responses themselves.
///
/// ```swift
/// let page = ReportPage(FlightStatistics.shared.report, records: FlightLog.shared.records, archive: exchanges.archive)
/// try Data(page.html.utf8).write(to: URL(fileURLWithPath: "report.html"))
/// ```
/// Without an archive it is safe to pass on as a log is: APIs by their templates, hosts, reasons; no header field and no
/// body. With an archive it has header fields, URLs and the beginnings of bodies, with secrets masked as in the archive.
public struct ReportPage: Sendable {
  let report: StatisticsReport
  let records: [FlightRecord]
  let archive: HTTPArchive
  let title: String

  static let mostRows = 50
  static let mostLoads = 1000
  static let mostWaterfalls = 60

  /// Makes a page.
  ///
  /// - Parameters:
  ///   - report: The numbers.
  ///   - records: The flights to show phase by phase: the last 60, and those of the slowest and the failed loads; none by
  ///     default.
  ///   - archive: Requests and responses, of an ``ExchangeArchive`` or an ``ExchangeStore``; empty by default. The page has
  ///     room for 640 KiB of records and exchanges.
  ///   - title: The heading.
  public init(
    _ report: StatisticsReport, records: [FlightRecord] = [], archive: HTTPArchive = HTTPArchive(),
    title: String = "Loads"
  ) {
    self.report = report
    self.records = records
    self.archive = archive
    self.title = title
  }

  /// The text of the file.
  public var html: String {
    var page = PageText()
    head(&page)
    page.element("h1") { $0.element("bdi", text: title) }
    let slowest = Array(
      report.loads.filter { $0.outcome != .cancelled }.sorted { $0.duration > $1.duration }.prefix(20))
    let failed = Array(report.failed.prefix(Self.mostRows))
    let shown = shownFlights(slowest + failed)
    if report.loads.isEmpty {
      page.element("p", ["id": "none"], text: "No loads have landed.")
    } else {
      numbers(&page)
      latency(&page)
      histogram(&page)
      statuses(&page)
      groups(&page)
    }
    if !report.loads.isEmpty || !shown.isEmpty { filter(&page) }
    if !report.loads.isEmpty {
      let flights = Set(shown.map(\.flight))
      table(&page, "slowest", title: "The slowest loads", of: slowest, flights)
      table(&page, "failed", title: "The latest failed loads", of: failed, flights)
    }
    flights(&page, shown)
    if !report.loads.isEmpty {
      let latest = Array(report.loads.suffix(Self.mostLoads).reversed())
      table(&page, "loads", title: "The latest loads", of: latest, Set(shown.map(\.flight)))
    }
    if !report.loads.isEmpty || !shown.isEmpty { page.element("script") { $0.put(Self.script) } }
    page.put("</body></html>\n")
    return page.text
  }

  private func head(_ page: inout PageText) {
    page.put("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n")
    page.put(
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'sha256-"
    )
    page.put(escaped: Self.digest(of: Self.style))
    page.put("'; script-src 'sha256-")
    page.put(escaped: Self.digest(of: "\(Self.script)"))
    page.put("'\">\n<meta name=\"viewport\" content=\"width=device-width\">\n")
    page.element("title", text: title)
    // The digests are of the text between the tags, to the letter.
    page.element("style") { $0.put(escaped: Self.style) }
    page.put("</head><body>\n")
  }

  static func digest(of text: String) -> String { Base64.encode(Crypto.sha256(Array(text.utf8))) }

  /// No character in it that HTML would have to escape.
  static let style = """
    body { font: 14px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 76em; padding: 0 1em; color: #1c1e21; background: #fff }
    h1 { font-size: 1.6em } h2 { font-size: 1.15em; margin: 2em 0 .5em } h3 { font-size: 1em; margin: 1.2em 0 .3em; overflow-wrap: anywhere } h4 { margin: .6em 0 .2em; color: #5b6470 }
    dl { display: flex; flex-wrap: wrap; gap: .6em; margin: 0 } dl div { border: 1px solid #d5d9df; border-radius: .4em; padding: .5em .9em }
    dt { color: #5b6470; font-size: .85em } dd { margin: 0; font-size: 1.3em; font-variant-numeric: tabular-nums }
    .wide { overflow-x: auto } table { border-collapse: collapse; width: 100% } th, td { text-align: left; padding: .25em .6em; border-bottom: 1px solid #e4e7eb; vertical-align: top }
    td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap } th.lane, td.lane { width: 55%; min-width: 16em }
    svg { display: block; width: 100%; height: auto; background: #f7f8fa; border-radius: .4em } td.lane svg { height: 1.1em; border-radius: 0 }
    svg text { font: 11px system-ui, sans-serif; fill: #5b6470 } a { color: #1f62b5 }
    pre { margin: 0; padding: .5em .7em; background: #f7f8fa; border-radius: .4em; white-space: pre-wrap; overflow-wrap: anywhere; font-size: .9em }
    tr.details td { padding-top: 0 } summary { color: #5b6470; cursor: pointer } tbody { scroll-margin-top: 4em } tbody:target { background: #fff6dc }
    .ends { display: flex; justify-content: space-between; font-weight: normal; color: #5b6470 }
    .legend { display: flex; flex-wrap: wrap; gap: .3em; align-items: center } .legend svg { width: .8em; background: none } .legend span { margin-right: .9em }
    #filter { position: sticky; top: 0; display: flex; flex-wrap: wrap; gap: .8em; align-items: center; padding: .6em 0; background: #fff; z-index: 1 } #filter[hidden] { display: none }
    input, select { font: inherit; color: inherit; background: #fff; border: 1px solid #b9c0ca; border-radius: .3em; padding: .2em .5em }
    .axis { stroke: #c3c9d1 } .ok { fill: #2a78d6 } .bad { fill: #cf3f3f } .off { fill: #9aa3ad } .bar { fill: #2a78d6 } .cut { stroke: #9aa3ad; stroke-dasharray: 2 2 }
    .mark { stroke: #b35900; stroke-width: 1.5 } svg text.mark { stroke: none; fill: #b35900 }
    .held { fill: #c3c9d1 } .dns { fill: #8a63d2 } .connect { fill: #e08a00 } .tls { fill: #d65db1 } .wait { fill: #35a06a } .receive { fill: #2a78d6 } .again { fill: #cf3f3f } .own { fill: #7f8b99 }
    @media (prefers-color-scheme: dark) { body, #filter, input, select { color: #e6e8eb; background: #15181c } svg, pre { background: #1d2126 } .legend svg { background: none } dl div, th, td { border-color: #343a42 } dt, h4, summary, .ends, svg text { color: #a3acb8; fill: #a3acb8 } a { color: #7db4f5 } input, select { border-color: #4a525d } tbody:target { background: #2b2817 } }
    """

  // MARK: Numbers

  private func numbers(_ page: inout PageText) {
    let summary = report.summary
    page.element("dl") { page in
      func row(_ id: String, _ name: String, _ shown: String, value: String) {
        page.element("div") { page in
          page.element("dt", text: name)
          page.element("dd", ["id": id, "data-value": value], text: shown)
        }
      }
      func count(_ id: String, _ name: String, _ count: Int) {
        row(id, name, String(count), value: String(count))
      }
      func time(_ name: String, _ time: Duration?) {
        row(name, name, time?.shortText ?? "none", value: time.map { String($0.microseconds) } ?? "")
      }
      count("total", "loads", summary.total)
      row(
        "success-rate", "success rate", summary.rateText, value: summary.successRate.map { String($0) } ?? "")
      count("failed-count", "failed", summary.failed)
      count("cancelled", "cancelled", summary.cancelled)
      time("mean", summary.mean)
      time("median", summary.median)
      time("p95", summary.p95)
      time("p99", summary.p99)
      count("since-start", "since the beginning", report.totalSinceStart)
    }
  }

  private func groups(_ page: inout PageText) {
    page.element("h2", text: "By API, service, host and origin")
    page.element("div", ["class": "wide"]) { groupTable(&$0) }
  }

  private func groupTable(_ page: inout PageText) {
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
            page.nameCell(group.name)
            for number in [
              String(summary.total), summary.rateText,
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

  /// - Parameter flights: Those to which a row leads.
  private func table(
    _ page: inout PageText, _ id: String, title: String, of loads: [LandedLoad], _ flights: Set<FlightID>
  ) {
    page.element("h2", text: title)
    guard !loads.isEmpty else { return page.element("p", ["id": id], text: "None.") }
    page.element("div", ["class": "wide"]) { page in
      page.element("table", ["id": id]) { page in
        heads(
          &page, ["flight", "API", "host", "status", "reason", "start", "duration", "attempts"],
          numbersFrom: 6)
        for load in loads {
          page.element("tr", ["data-load": load.outcome.rawValue]) { row(&$0, load, flights) }
        }
      }
    }
  }

  private func row(_ page: inout PageText, _ load: LandedLoad, _ flights: Set<FlightID>) {
    page.element("td") { page in
      guard flights.contains(load.flight) else { return page.put(escaped: load.flight.description) }
      page.element("a", ["href": "#flight-\(load.flight)"], text: load.flight.description)
    }
    for name in [load.api.description, load.host ?? "–"] { page.nameCell(name) }
    page.element("td", text: load.status.map { String($0) } ?? "–")
    page.nameCell(load.reason ?? "–")
    page.element("td", text: ISO8601.text(secondsSince1970: load.secondsSince1970) ?? "–")
    page.element(
      "td", ["class": "n", "data-value": String(load.duration.microseconds)], text: load.duration.shortText)
    page.element("td", ["class": "n"], text: String(load.attempts.count))
  }

  private func heads(_ page: inout PageText, _ names: [String], numbersFrom: Int) {
    page.element("tr") { page in
      for (index, name) in names.enumerated() {
        page.element("th", index >= numbersFrom ? ["class": "n"] : [:], text: name)
      }
    }
  }
}
