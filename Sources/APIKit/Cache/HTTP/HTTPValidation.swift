/// Asking the server whether a stored answer is still good, and what its word changes.
///
/// | rule | section of RFC 9111 |
/// |---|---|
/// | `If-None-Match` from `ETag`, `If-Modified-Since` from `Last-Modified`; both where both are there | 4.3.1 |
/// | a condition of the manager's own is left alone, and its answer lands as it is | 4.3.1 |
/// | a 304 with a strong validator confirms only what has the same; a weak one, or none, what was asked about | 4.3.4 |
/// | the fields of a 304 replace those stored, except those that describe the stored body | 3.2, 4.3.4 |
enum HTTPValidation {
  /// Fields that a 304 does not change: they describe the bytes that are stored.
  private static let kept: Set<String> = [
    "content-length", "content-encoding", "content-type", "content-range", "transfer-encoding", "connection",
  ]
  private static let conditions = [
    "If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since", "If-Range", "Range",
  ]

  /// Whether a request asks under a condition of its own.
  static func isConditional(_ request: HTTPHeaders) -> Bool { conditions.contains { request.contains($0) } }

  /// The fields that ask about a stored answer; empty when it has no validator.
  static func conditions(for stored: HTTPHeaders) -> HTTPHeaders {
    var fields = HTTPHeaders()
    if let tag = stored["ETag"] { fields.add("If-None-Match", tag) }
    if let date = stored["Last-Modified"] { fields.add("If-Modified-Since", date) }
    return fields
  }

  /// Whether a 304 is about what is stored.
  static func confirms(_ answer: HTTPHeaders, stored: HTTPHeaders) -> Bool {
    guard let tag = answer["ETag"], let own = stored["ETag"] else { return true }
    return opaque(tag) == opaque(own)
  }

  /// The stored fields with those of a 304 over them.
  static func merged(_ stored: HTTPHeaders, with answer: HTTPHeaders) -> HTTPHeaders {
    var merged = stored
    merged.merge(
      HTTPHeaders(HTTPStorage.storedFields(answer).fields.filter { !kept.contains($0.name.lowercased()) }))
    // A new Date without a new Age: the old Age belongs to the old answer.
    if !answer.contains("Age") { merged.remove("Age") }
    return merged
  }

  /// A validator without its mark of weakness: `If-None-Match` compares weakly (RFC 9110, 13.1.2).
  private static func opaque(_ tag: String) -> String {
    let tag = tag.trimmingSpaces()
    return tag.hasPrefix("W/") ? String(tag.dropFirst(2)) : tag
  }
}
