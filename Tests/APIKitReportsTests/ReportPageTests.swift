import Foundation
import XCTest

#if canImport(FoundationXML)
  import FoundationXML
#endif

@testable import APIKit
@testable import TestSupport
@testable import APIKitReports

/// The page is read as XML, which it is but for three tags without an end.
final class ReportPageTests: XCTestCase {
  private static let evil = "</script><img onerror=alert(1) src=x>\u{2028}\u{2029}\u{1}"

  private var loads: [LandedLoad] {
    (1...200).map { index in
      .make(
        name: "homes/{id}", status: index.isMultiple(of: 20) ? 503 : 200,
        outcome: index.isMultiple(of: 20) ? .failed : index.isMultiple(of: 33) ? .cancelled : .succeeded,
        label: "response.unacceptable-status", duration: .microseconds(index * index * 100),
        begin: .seconds(index), flight: UInt64(index))
    }
  }

  func testItsNumbersAreThoseOfTheStatistics() throws {
    let report = StatisticsReport(loads)
    let page = try Page(ReportPage(report).html)
    let summary = report.summary
    XCTAssertEqual(page.value("total"), "200")
    XCTAssertEqual(page.value("success-rate"), try XCTUnwrap(summary.successRate).description)
    XCTAssertEqual(page.value("failed-count"), "\(summary.failed)")
    XCTAssertEqual(page.value("cancelled"), "\(summary.cancelled)")
    for (id, time) in [
      ("mean", summary.mean), ("median", summary.median), ("p95", summary.p95), ("p99", summary.p99),
    ] {
      XCTAssertEqual(page.value(id), try XCTUnwrap(time).microseconds.description, id)
    }
    XCTAssertEqual(page.all("circle", in: "latency").count, 200)
    let bars = page.all("rect", in: "histogram").compactMap { Int($0["data-value"] ?? "") }
    XCTAssertEqual(bars.reduce(0, +), summary.durations.count)
    let statuses = page.all("rect", in: "statuses").map { [$0["data-status"], $0["data-value"]] }
    XCTAssertEqual(
      statuses, summary.statuses.sorted { $0.key < $1.key }.map { ["\($0.key)", "\($0.value)"] })
    let slowest = page.all("td", in: "slowest").compactMap { $0["data-value"] }
    XCTAssertEqual(slowest.count, 20)
    XCTAssertEqual(slowest.first, "4000000")
    XCTAssertEqual(page.all("tr", in: "failed").count, 11, "a head and ten loads")
  }

  func testWithoutLoadsItSaysSo() throws {
    let page = try Page(ReportPage(StatisticsReport([])).html)
    XCTAssertNotNil(page.element("none"))
    XCTAssertNil(page.element("p95"))
  }

  func testWhatALoadIsCalledIsTextAndNothingElse() throws {
    let load = LandedLoad.make(
      service: "<b>&\"'", method: "<i>", name: Self.evil, host: "<svg onload=x>", outcome: .failed,
      label: "a.<script>")
    var records: [FlightRecord] = []
    let recorder = FlightRecorder(flight: .next(), manager: ReportPageTests.self, time: SystemTime())
    recorder.describe(service: Self.evil, method: "GET", apiName: Self.evil, parameters: [:])
    recorder.record(.landed(.failed(label: Self.evil, detail: Self.evil)))
    records.append(recorder.record)
    let html = ReportPage(StatisticsReport([load]), records: records, title: Self.evil).html
    let page = try Page(html)
    XCTAssertEqual(Set(page.names).subtracting(Page.own), [], "a tag came from a load")
    XCTAssertTrue(page.texts.joined().contains("</script><img onerror=alert(1) src=x>"))
    XCTAssertEqual(
      page.attributes.filter { $0.hasPrefix("on") || $0 == "style" || $0 == "src" }, [])
    XCTAssertTrue(page.hrefs.allSatisfy { $0.hasPrefix("#flight-") }, "\(page.hrefs)")
  }

  func testWhatWasSentAndReceivedIsTextAndNothingElse() throws {
    let headers: HTTPHeaders = ["X": Self.evil]
    var entry = HTTPArchive.Entry(
      secondsSince1970: 0,
      request: .init(method: "<i>", url: Self.evil, headers: headers, body: .init(Array(Self.evil.utf8))),
      response: .init(status: 200, headers: headers, body: .init(Array(Self.evil.utf8))), failure: Self.evil)
    entry.flight = 1
    let html = ReportPage(
      StatisticsReport([LandedLoad.make(outcome: .failed)]), archive: HTTPArchive(entries: [entry])
    ).html
    let page = try Page(html)
    XCTAssertEqual(Set(page.names).subtracting(Page.own), [], "a tag came from an exchange")
    XCTAssertEqual(page.hrefs.filter { $0 != "#flight-1" }, [])
  }

  func testAFailedLoadLeadsToItsRequestsAndToWhatWasSentAndReceived() throws {
    let record = sample(flight: 7, at: 1000)
    var entries: [HTTPArchive.Entry] = []
    for (flight, body) in [(7, "seven"), (8, "eight"), (9, "nine")] as [(UInt64, String)] {
      var entry = HTTPArchive.Entry(
        secondsSince1970: 1000,
        request: .init(
          method: .get, url: "https://homes.test/list?token=%E2%80%A2", headers: ["Accept": "*/*"]),
        response: .init(status: 503, headers: ["Retry-After": "7"], body: .init(Array("body \(body)".utf8))))
      entry.flight = flight
      entries.append(entry)
    }
    let loads = [
      LandedLoad.make(status: 503, outcome: .failed, flight: 7),
      LandedLoad.make(status: 503, outcome: .failed, flight: 8), LandedLoad.make(flight: 10),
    ]
    let html = ReportPage(
      StatisticsReport(loads), records: [record], archive: HTTPArchive(entries: entries)
    ).html
    let page = try Page(html)
    XCTAssertEqual(Set(page.hrefs), ["#flight-7", "#flight-8"], "of flight 10 nothing more is known")
    for href in page.hrefs { XCTAssertNotNil(page.element(String(href.dropFirst()))) }
    let text = page.texts.joined()
    XCTAssertTrue(text.contains("body seven") && text.contains("body eight"))
    XCTAssertFalse(text.contains("body nine"), "no load on the page is that flight's")
    XCTAssertTrue(text.contains("Retry-After: 7"))
    XCTAssertTrue(text.contains("503 Service Unavailable"))
    XCTAssertTrue(page.all("td", in: "flight-7").count > 5)
    XCTAssertEqual(page.all("rect", in: "flight-8").count, 0, "it has no record")
  }

  func testExchangesOfAnotherLaunchAreNotShownUnderAFlightOfThisOne() throws {
    var entry = HTTPArchive.Entry(
      secondsSince1970: 1000, request: .init(method: .get, url: "https://homes.test/another", headers: [:]))
    entry.flight = 7
    let loads = [LandedLoad.make(status: 503, outcome: .failed, flight: 7)]
    func html() -> String {
      ReportPage(
        StatisticsReport(loads), records: [sample(flight: 7, at: 1000)],
        archive: HTTPArchive(entries: [entry])
      ).html
    }
    entry.launch = KeptExchange.presentLaunch
    XCTAssertTrue(html().contains("homes.test/another"))
    entry.launch = "an earlier one"
    XCTAssertFalse(html().contains("homes.test/another"))
    // A file does not say of which launch its numbers are.
    entry.launch = nil
    let file = HTTPArchive(entries: [entry]).harBytes()
    entry = try XCTUnwrap(try HTTPArchive(parsing: file).entries.first)
    XCTAssertEqual(entry.flight, 7)
    XCTAssertFalse(html().contains("homes.test/another"))
  }

  func testNamesAreIsolated() throws {
    let load = LandedLoad.make(
      service: "בית", name: "דירות", host: "בית.test", outcome: .failed, label: "סיבה")
    let record = sample(flight: 1, at: 0)
    let page = try Page(ReportPage(StatisticsReport([load]), records: [record], title: "כותרת").html)
    for text in ["דירות", "בית.test", "סיבה", "כותרת", "GET list (Homes)"] {
      XCTAssertTrue(page.isolated.contains { $0.contains(text) }, text)
    }
  }

  func testAllFlightsHaveOneTimeAxis() throws {
    // The second begins while the first is in flight, the third an hour later.
    let records = [sample(flight: 1, at: 1000), sample(flight: 2, at: 1000.065), sample(flight: 3, at: 4600)]
    let page = try Page(ReportPage(StatisticsReport([]), records: records).html)
    func extent(_ flight: Int) throws -> (from: Double, to: Double) {
      let bars = page.all("rect", in: "flight-\(flight)")
      let places = bars.map { bar in
        (Double(bar["x"] ?? "") ?? -1, Double(bar["width"] ?? "") ?? -1)
      }
      return (try XCTUnwrap(places.map(\.0).min()), try XCTUnwrap(places.map { $0.0 + $0.1 }.max()))
    }
    let (first, second, third) = (try extent(1), try extent(2), try extent(3))
    XCTAssertEqual(first.from, 0)
    XCTAssertLessThan(second.from, first.to)
    XCTAssertEqual(
      second.from - first.from, (first.to - first.from) / 2, accuracy: 3, "half of its time later")
    XCTAssertGreaterThan(third.from, second.to)
    XCTAssertEqual(third.to, 1000, accuracy: 2)
    XCTAssertGreaterThan(third.to - third.from, 200, "the hour between is cut short")
    XCTAssertEqual(page.all("line", in: "flight-1").count, 1, "and the cut is marked")
    XCTAssertTrue(page.texts.joined().contains("+1 h"), "the axis says how long all of it is")
  }

  func testTheFilterHasARowForEachLoadAndFlightWithItsOutcome() throws {
    let page = try Page(ReportPage(StatisticsReport(loads), records: [sample()]).html)
    let rows = page.all("tr", in: "loads").compactMap { $0["data-load"] }
    XCTAssertEqual(rows.count, 200)
    XCTAssertEqual(rows.filter { $0 == "failed" }.count, 10)
    XCTAssertEqual(page.element("flight-7")?["data-load"], "succeeded")
    XCTAssertNotNil(page.element("filter-text"))
    XCTAssertEqual(
      page.all("option", in: "filter-outcome").map { $0["value"] }, ["", "succeeded", "failed", "cancelled"])
  }

  func testItForbidsEverythingThatItDoesNotNeed() throws {
    let html = ReportPage(StatisticsReport(loads)).html
    let style = Base64.encode(Crypto.sha256(Array(ReportPage.style.utf8)))
    let script = Base64.encode(Crypto.sha256(Array("\(ReportPage.script)".utf8)))
    XCTAssertTrue(
      html.contains(
        "content=\"default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'sha256-\(style)'; "
          + "script-src 'sha256-\(script)'\""))
    XCTAssertTrue(html.contains("<style>\(ReportPage.style)</style>"), "the digest is of other text")
    XCTAssertTrue(html.contains("<script>\(ReportPage.script)</script>"), "the digest is of other text")
    XCTAssertEqual(html.components(separatedBy: "<script").count, 2)
    XCTAssertFalse("\(ReportPage.script)".contains(where: { "<&\"".contains($0) }))
    for word in ["fetch", "XMLHttpRequest", "innerHTML", "eval", "import"] {
      XCTAssertFalse("\(ReportPage.script)".contains(word), word)
    }
    XCTAssertFalse(html.contains("http:") || html.contains("https:"))
    XCTAssertFalse(html.contains("url("))
  }

  func testAFullPageIsSmallAndSoonReady() throws {
    let full = (0..<1000).map { index in
      LandedLoad.make(
        service: "A service with a long name", name: "a/long/path/of/an/api/{id}/number-\(index % 300)",
        outcome: index.isMultiple(of: 3) ? .failed : .succeeded,
        duration: .microseconds(index * 7919 % 3_000_000),
        begin: .milliseconds(index), flight: UInt64(index))
    }
    let records = (0..<256).map { sample(flight: UInt64(744 + $0), at: Double($0)) }
    let entries = full.flatMap { load in
      (0..<6).map { _ in
        var entry = HTTPArchive.Entry(
          secondsSince1970: 0,
          request: .init(method: .post, url: "https://homes.test/a/long/path", headers: ["Accept": "*/*"]),
          response: .init(
            status: 200, headers: ["Content-Type": "text/plain"],
            body: .init([UInt8](repeating: 0x61, count: 64 << 10))))
        entry.flight = load.flight.rawValue
        return entry
      }
    }
    var html = ""
    let start = Duration.ofProcessor
    html = ReportPage(StatisticsReport(full), records: records, archive: HTTPArchive(entries: entries)).html
    let time = Duration.ofProcessor - start
    XCTAssertTrue(html.contains("Left out: the page has no room for further ones."))
    XCTAssertLessThan(html.utf8.count, 1_500_000)
    XCTAssertLessThan(time, .seconds(3))
  }

  func testTheWaterfallHasThePhasesWithoutGaps() throws {
    let record = sample()
    let phases = FlightPhase.phases(of: record)
    XCTAssertEqual(
      phases.map(\.kind), [.own, .wait, .own, .again, .held, .dns, .connect, .tls, .wait, .receive, .own])
    XCTAssertEqual(phases.first?.from, .zero)
    XCTAssertEqual(phases.last?.to, record.duration)
    for (one, next) in zip(phases, phases.dropFirst()) { XCTAssertEqual(one.to, next.from) }
    let page = try Page(ReportPage(StatisticsReport([]), records: [record]).html)
    XCTAssertEqual(page.all("rect", in: "waterfalls").map { $0["class"] }, phases.map(\.kind.rawValue))
  }

  /// An attempt that fails, a wait, and one with every phase.
  private func sample(flight: UInt64 = 7, at begin: Double = 0) -> FlightRecord {
    var metrics = TransportMetrics()
    (metrics.queued, metrics.nameLookup, metrics.connect) = (1_000, 3_000, 6_000)
    (metrics.tls, metrics.firstByte, metrics.total) = (10_000, 15_000, 21_000)
    let events: [(Int, FlightEvent)] = [
      (0, .tookOff(policy: "concurrent")), (1, .attempt(1, host: "homes.test")),
      (5, .attemptFailed(label: "transport.connection-lost", detail: "")),
      (6, .retry(after: .milliseconds(100), because: "")), (106, .attempt(2, host: "homes.test")),
      (127, .responded(status: 200, metrics: metrics)), (130, .landed(.succeeded(.network))),
    ]
    return FlightRecord(
      flight: FlightID(rawValue: flight), manager: "Manager", service: "Homes", method: .get, apiName: "list",
      parameters: [:], secondsSince1970: begin,
      entries: events.map { .init(at: .milliseconds($0.0), event: $0.1) })
  }
}

/// The elements of a page.
private final class Page: NSObject, XMLParserDelegate {
  /// The tags that a page is made of.
  static let own: Set<String> = [
    "html", "head", "meta", "title", "style", "body", "h1", "h2", "p", "dl", "div", "dt", "dd", "table", "tr",
    "td",
    "th", "svg", "circle", "rect", "line", "text", "tbody", "bdi", "a", "details", "summary", "pre", "h3",
    "h4",
    "span", "form", "label", "input", "select", "option", "script",
  ]

  private(set) var names: [String] = []
  private(set) var texts: [String] = []
  private(set) var attributes: [String] = []
  private(set) var hrefs: [String] = []
  /// What stands within `bdi`.
  private(set) var isolated: [String] = []
  private var elements: [(name: String, attributes: [String: String], within: [String])] = []
  private var path: [String] = []

  init(_ html: String) throws {
    super.init()
    // Those have no end in HTML.
    let text = html.replacingOccurrences(of: "<!DOCTYPE html>\n", with: "")
      .replacing(/<meta ([^>]*)>/) { "<meta \($0.1)/>" }
    let parser = XMLParser(data: Data(text.utf8))
    parser.delegate = self
    if !parser.parse() { throw parser.parserError ?? ValidationError("the page is not well-formed") }
  }

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
    attributes: [String: String]
  ) {
    names.append(name)
    self.attributes += attributes.keys
    if let href = attributes["href"] { hrefs.append(href) }
    if name == "bdi" { isolated.append("") }
    elements.append((name, attributes, path))
    path.append(attributes["id"] ?? name)
  }

  func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?)
  {
    path.removeLast()
  }

  func parser(_ parser: XMLParser, foundCharacters text: String) {
    texts.append(text)
    if path.last == "bdi" { isolated[isolated.count - 1] += text }
  }

  func element(_ id: String) -> [String: String]? { elements.first { $0.attributes["id"] == id }?.attributes }
  func value(_ id: String) -> String? { element(id)?["data-value"] }
  func all(_ name: String, in id: String) -> [[String: String]] {
    elements.filter { $0.name == name && $0.within.contains(id) }.map(\.attributes)
  }
}
