import APIKit

/// What stands behind a flight: its record, its requests, and what was sent and received.
extension ReportPage {
  /// How much of a body is shown.
  static let mostBodyBytes = 2 << 10
  /// How much of a record is shown.
  static let mostRecordBytes = 4 << 10
  /// How much of this the page has room for, all flights together.
  static let mostDetailBytes = 640 << 10

  func details(of flight: ShownFlight) -> PageText {
    var page = PageText()
    if let record = flight.record {
      page.element("pre") { page in
        page.element("bdi", text: Self.beginning(record.description, Self.mostRecordBytes))
      }
      requests(&page, record.requests)
    }
    for entry in flight.exchanges { exchange(&page, entry) }
    return page
  }

  private func requests(_ page: inout PageText, _ requests: [FlightRecord.Request]) {
    guard !requests.isEmpty else { return }
    page.element("table") { page in
      page.element("tr") { page in
        for name in ["attempt", "redirect", "host", "status", "server"] { page.element("th", text: name) }
        for name in ["at", "duration", "sent", "received"] {
          page.element("th", ["class": "n"], text: name)
        }
      }
      for request in requests {
        page.element("tr") { page in
          page.element("td", text: String(request.attempt))
          page.element("td", text: request.hop > 0 ? String(request.hop) : "–")
          page.element("td") { $0.element("bdi", text: request.host) }
          let status = request.status.map { String($0) } ?? "–"
          page.element("td", text: request.isBroken ? "\(status), broken off" : status)
          page.element("td", text: request.metrics.remoteAddress ?? "–")
          for number in [
            "+" + request.at.shortText, request.duration.shortText, String(request.metrics.bytesSent),
            String(request.metrics.bytesReceived),
          ] {
            page.element("td", ["class": "n"], text: number)
          }
        }
      }
    }
  }

  private func exchange(_ page: inout PageText, _ entry: HTTPArchive.Entry) {
    page.element("h3") { page in
      page.element("bdi", text: "\(entry.request.method) \(entry.request.url)")
    }
    message(&page, "Request", entry.request.headers, entry.request.body)
    if let response = entry.response {
      let phrase = HTTPArchive.statusText(response.status)
      message(
        &page, "Response: \(response.version.rawValue) \(response.status) \(phrase)", response.headers,
        response.body)
    }
    if let failure = entry.failure {
      page.element("p") { page in
        page.put("Failure: ")
        page.element("bdi", text: failure)
      }
    }
  }

  private func message(
    _ page: inout PageText, _ title: String, _ headers: HTTPHeaders, _ body: HTTPArchive.Content
  ) {
    page.element("h4", text: title)
    page.element("pre") { page in
      page.element("bdi", text: headers.map { "\($0.name): \($0.value)" }.joined(separator: "\n"))
    }
    if let bytes = body.bytes, !bytes.isEmpty {
      let text = Self.beginning(ofBody: bytes)
      page.element("pre") { page in
        page.element("bdi", text: text ?? "\(bytes.count) bytes that are no text")
      }
    } else if let size = body.size, size > 0 {
      page.element("p", text: "A body of \(size) bytes: \(body.comment ?? "it was not kept").")
    }
  }

  /// The text of the first bytes of a body; nil if they are no text.
  private static func beginning(ofBody bytes: [UInt8]) -> String? {
    guard bytes.count > mostBodyBytes else { return HTTPArchive.Content.text(bytes) }
    var part = Array(bytes.prefix(mostBodyBytes))
    // The last character may be cut.
    for _ in 0..<3 where HTTPArchive.Content.text(part) == nil { part.removeLast() }
    return HTTPArchive.Content.text(part).map { $0 + "…" }
  }

  /// As many whole characters as so many bytes have.
  private static func beginning(_ text: String, _ most: Int) -> String {
    guard text.utf8.count > most else { return text }
    var part = text.utf8.prefix(most)
    while let last = part.last, last & 0xC0 == 0x80 { part = part.dropLast() }
    if let last = part.last, last >= 0xC0 { part = part.dropLast() }
    return "\(Substring(part))…"
  }
}
