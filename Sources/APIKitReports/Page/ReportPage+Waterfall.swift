import APIKit

/// The flights on one time axis, each with what it did and what was sent.
extension ReportPage {
  /// What is shown of one flight: its record, its exchanges, or both.
  struct ShownFlight {
    var flight: FlightID
    /// As the filter has it; empty for one that has not landed.
    var outcome: String
    var record: FlightRecord?
    var exchanges: [HTTPArchive.Entry] = []
  }

  /// The last flights, and those that the tables name as far as anything is known of them, in the order of their beginnings.
  func shownFlights(_ named: [LandedLoad]) -> [ShownFlight] {
    let present = KeptExchange.presentLaunch
    // The flights of an earlier launch have the same numbers.
    let ofThisLaunch = archive.entries.filter { $0.flight != nil && $0.launch ?? present == present }
    let exchanges = Dictionary(grouping: ofThisLaunch) { $0.flight ?? 0 }
    let wanted = Set(named.map(\.flight))
    var shown: [ShownFlight] = []
    for (index, record) in records.enumerated()
    where index >= records.count - Self.mostWaterfalls || wanted.contains(record.flight) {
      shown.append(
        ShownFlight(
          flight: record.flight, outcome: record.landing?.outcomeName ?? "", record: record,
          exchanges: exchanges[record.flight.rawValue] ?? []))
    }
    let known = Set(shown.map(\.flight))
    for load in named where !known.contains(load.flight) {
      guard let own = exchanges[load.flight.rawValue], !shown.contains(where: { $0.flight == load.flight })
      else { continue }
      shown.append(ShownFlight(flight: load.flight, outcome: load.outcome.rawValue, exchanges: own))
    }
    return shown.sorted { $0.begin < $1.begin }
  }

  func flights(_ page: inout PageText, _ shown: [ShownFlight]) {
    guard !shown.isEmpty else { return }
    let axis = TimeAxis(shown.compactMap { $0.record.map { (begin: $0.secondsSince1970, end: $0.end) } })
    page.element("h2", text: "Flights on one time axis")
    legend(&page)
    if axis.isCut {
      page.element(
        "p", text: "A dashed line marks a time in which nothing was in flight, and which is cut short.")
    }
    page.element("div", ["class": "wide"]) { page in
      page.element("table", ["id": "waterfalls"]) { page in
        page.element("tbody") { page in
          page.element("tr") { page in
            for name in ["flight", "API"] { page.element("th", text: name) }
            for name in ["start", "duration"] { page.element("th", ["class": "n"], text: name) }
            page.element("th", ["class": "lane"]) { page in
              page.element("div", ["class": "ends"]) { page in
                page.element("span", text: "0")
                page.element("span", text: "+" + axis.length.shortText)
              }
            }
          }
        }
        var room = Self.mostDetailBytes
        for one in shown { flight(&page, one, axis, &room) }
      }
    }
  }

  private func legend(_ page: inout PageText) {
    page.element("p", ["class": "legend"]) { page in
      for phase in FlightPhase.PhaseKind.allCases {
        page.put("<svg viewBox=\"0 0 10 10\" role=\"img\"><title>Colour</title>")
        page.element("circle", ["class": phase.rawValue, "cx": "5", "cy": "5", "r": "5"])
        page.put("</svg>")
        page.element("span", text: phase.title)
      }
    }
  }

  private func flight(_ page: inout PageText, _ one: ShownFlight, _ axis: TimeAxis, _ room: inout Int) {
    let details = self.details(of: one)
    page.element(
      "tbody",
      [
        "id": "flight-\(one.flight)", "data-flight": one.flight.description, "data-load": one.outcome,
      ]
    ) { page in
      page.element("tr") { page in
        page.element("td", text: one.flight.description)
        page.element("td") { page in
          page.element("bdi", text: one.name)
          let resends = one.record?.requests.reduce(0) { $0 + $1.metrics.resends } ?? 0
          if resends > 0 { page.put(escaped: ", resent: \(resends)") }
        }
        guard let record = one.record else { return page.element("td", ["colspan": "3"]) }
        page.element("td", ["class": "n"], text: "+" + axis.offset(record.secondsSince1970).shortText)
        page.element("td", ["class": "n"], text: record.duration.shortText)
        page.element("td", ["class": "lane"]) { lane(&$0, record, axis) }
      }
      page.element("tr", ["class": "details"]) { page in
        page.element("td", ["colspan": "5"]) { page in
          page.element("details") { page in
            page.element("summary", text: one.summary)
            guard details.text.utf8.count <= room else {
              return page.element("p", text: "Left out: the page has no room for further ones.")
            }
            room -= details.text.utf8.count
            page.append(details)
          }
        }
      }
    }
  }

  private func lane(_ page: inout PageText, _ record: FlightRecord, _ axis: TimeAxis) {
    page.element(
      "svg", ["viewBox": "0 0 1000 14", "preserveAspectRatio": "none", "role": "img"]
    ) { page in
      page.element("title", text: record.landing?.description ?? "in the air")
      for cut in axis.cuts { line(&page, "cut", from: (cut, 0), to: (cut, 14)) }
      for phase in FlightPhase.phases(of: record) {
        let begin = axis.place(record.secondsSince1970 + phase.from / .seconds(1))
        let end = axis.place(record.secondsSince1970 + phase.to / .seconds(1))
        page.element(
          "rect",
          [
            "class": phase.kind.rawValue, "x": Self.shown(begin), "y": "1",
            "width": Self.shown(max(1, end - begin)), "height": "12",
            "data-value": String((phase.to - phase.from).microseconds),
          ])
      }
    }
  }
}

extension ReportPage.ShownFlight {
  var begin: Double { record?.secondsSince1970 ?? exchanges.first?.secondsSince1970 ?? 0 }

  var name: String {
    if let record { return "\(record.method) \(record.apiName) (\(record.service))" }
    guard let first = exchanges.first else { return "" }
    return "\(first.request.method) \(first.apiName ?? "") (\(first.service ?? ""))"
  }

  var summary: String {
    func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
    var parts: [String] = []
    if let record { parts.append(counted(record.attempts, "attempt")) }
    if !exchanges.isEmpty { parts.append(counted(exchanges.count, "exchange")) }
    return parts.joined(separator: ", ")
  }
}

extension FlightRecord {
  /// When it landed, in seconds since 1970.
  fileprivate var end: Double { secondsSince1970 + duration / .seconds(1) }
}

extension FlightLanding {
  /// As the filter of the page has it.
  package var outcomeName: String {
    switch self {
    case .succeeded: LandedLoad.Outcome.succeeded.rawValue
    case .failed: LandedLoad.Outcome.failed.rawValue
    case .cancelled: LandedLoad.Outcome.cancelled.rawValue
    }
  }
}
