/// Conditional requests about a stored response, and what a 304 changes in it.
///
/// | rule | section of RFC 9111 |
/// |---|---|
/// | `If-None-Match` from `ETag`, `If-Modified-Since` from `Last-Modified`; both where both exist | 4.3.1 |
/// | a request with a condition of the manager's own is not changed, and its response lands as it is | 4.3.1 |
/// | a 304 with an `ETag` confirms a stored response with the same, compared weakly; otherwise any | 4.3.4 |
/// | the fields of a 304 replace those stored, except those that describe the stored body | 3.2, 4.3.4 |
enum HTTPValidation {
  /// Fields that a 304 does not replace, because they describe the stored body.
  private static let kept: Set<String> = [
    "content-length", "content-encoding", "content-type", "content-range", "transfer-encoding", "connection",
  ]
  private static let conditions = [
    "If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since", "If-Range", "Range",
  ]

  /// Whether a request has a condition already.
  static func isConditional(_ request: HTTPHeaders) -> Bool { conditions.contains { request.contains($0) } }

  /// The fields that make a request conditional on a stored response; empty when that has no validator.
  static func conditions(for stored: HTTPHeaders) -> HTTPHeaders {
    var fields = HTTPHeaders()
    // A server may send what no request can have: that is no validator.
    if let tag = stored["ETag"], HTTPHeaders.mayBeValue(tag) { fields.add("If-None-Match", tag) }
    if let date = stored["Last-Modified"], HTTPHeaders.mayBeValue(date) {
      fields.add("If-Modified-Since", date)
    }
    return fields
  }

  /// Whether a 304 refers to the stored response.
  static func confirms(_ response: HTTPHeaders, stored: HTTPHeaders) -> Bool {
    guard let tag = response["ETag"], let own = stored["ETag"] else { return true }
    return opaque(tag).equalsExactly(opaque(own))
  }

  /// The stored fields, updated with those of a 304.
  static func merged(_ stored: HTTPHeaders, with response: HTTPHeaders) -> HTTPHeaders {
    var merged = stored
    merged.merge(
      HTTPHeaders(HTTPStorage.storedFields(response).fields.filter { !kept.contains($0.name.lowercased()) }))
    // An old `Age` does not fit the new `Date`.
    if !response.contains("Age") { merged.remove("Age") }
    return merged
  }

  /// An `ETag` without its weakness prefix: `If-None-Match` compares weakly (RFC 9110, 13.1.2).
  private static func opaque(_ tag: String) -> String {
    let tag = tag.trimmingSpaces()
    return tag.hasPrefix("W/") ? String(tag.dropFirst(2)) : tag
  }
}
