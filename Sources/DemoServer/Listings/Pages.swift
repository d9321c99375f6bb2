import APIKit

/// Makes the responses of one service, with their validators, and keeps them, because the data never
/// changes.
final class Pages: Sendable {
  private struct Page {
    var body: [UInt8]
    var tag: String
    var headers: HTTPHeaders
  }

  private let kept = Mutex<[String: Page]>([:])
  private static let keptLimit = 512

  /// When the data was last changed: the day on which it was added to the package.
  private static let lastModified = "Sun, 01 Nov 2026 00:00:00 GMT"

  /// The response to a request, made once per target as long as it is kept.
  func response(
    _ request: DemoRequest, make: (DemoRequest) throws(InvalidQuery) -> (JSON, HTTPHeaders)
  ) throws(InvalidQuery) -> DemoResponse {
    let page: Page
    if let known = kept.withLock({ $0[request.target] }) {
      page = known
    } else {
      let (value, headers) = try make(request)
      let body = value.bytes()
      page = Page(body: body, tag: Self.tag(of: body), headers: headers)
      kept.withLock { kept in
        if kept.count >= Self.keptLimit { kept.removeAll() }
        kept[request.target] = page
      }
    }
    var headers: HTTPHeaders = [
      "Content-Type": "application/json", "ETag": page.tag, "Last-Modified": Self.lastModified,
      "Cache-Control": "max-age=60",
    ]
    headers.merge(page.headers)
    guard !isCurrent(request, tag: page.tag) else { return DemoResponse(304, headers: headers) }
    return DemoResponse(200, headers: headers, body: page.body)
  }

  /// Whether the client has the response already (RFC 9110, 13.1.2 and 13.1.3: a tag takes precedence over
  /// a date).
  private func isCurrent(_ request: DemoRequest, tag: String) -> Bool {
    if let tags = request.headers.combined("If-None-Match") {
      if tags == "*" { return true }
      return tags.split(separator: ",").contains { candidate in
        let candidate = candidate.drop { $0 == " " || $0 == "\t" }
        return (candidate.hasPrefix("W/") ? candidate.dropFirst(2) : candidate).prefix { $0 != " " } == tag
      }
    }
    return request.headers["If-Modified-Since"] == Self.lastModified
  }

  /// A strong tag.
  private static func tag(of body: [UInt8]) -> String { "\"\(String(Checksum.of(body), radix: 16))\"" }
}

extension Array {
  /// At most `count` elements from `offset` on; empty after the end.
  func page(from offset: Int, count: Int) -> ArraySlice<Element> {
    offset >= self.count ? [] : self[offset...].prefix(count)
  }
}
