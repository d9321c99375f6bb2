/// The canonical text of a request by AWS Signature Version 4, which client and server both build.
///
///     method
///     path, encoded once more and without dot segments; for S3 encoded once
///     pairs of the query, encoded, sorted by name and value
///     name:value      one line for each signed header field, lower case, sorted by name
///                     (an empty line)
///     the names of the signed header fields, joined by semicolons
///     the digest of the body
struct AWSCanonicalRequest {
  let bytes: [UInt8]

  /// - Parameters:
  ///   - request: Method and path are read of it.
  ///   - headers: The signed header fields.
  ///   - query: The query as it is signed.
  ///   - bodyDigest: The digest of the body, or the word that stands for it.
  ///   - isS3: Whether the path is written as S3 does it.
  init(
    _ request: HTTPRequest, _ headers: AWSSignedHeaders, query: String?, bodyDigest: String, isS3: Bool
  ) throws(APIError) {
    let lines =
      [request.method.rawValue, Self.path(request.url.path, isS3: isS3), try Self.query(query ?? "")]
      + headers.lines + ["", headers.names, bodyDigest]
    // With a line feed inside a line, two different requests could have the same text.
    guard !lines.contains(where: { $0.utf8.contains(UInt8(ascii: "\n")) }) else {
      throw APIError(.signing, .signingFailed, "a part of the request to sign holds a line feed")
    }
    bytes = Array(lines.joined(separator: "\n").utf8)
  }

  private static func path(_ path: String, isS3: Bool) -> String {
    let segments = path.split(separator: "/", omittingEmptySubsequences: false)
    if isS3 {
      let encoded = segments.map { segment in
        PercentEncoding.decode(segment).map(PercentEncoding.component.encode) ?? String(segment)
      }
      return path.isEmpty ? "/" : encoded.joined(separator: "/")
    }
    var kept: [Substring] = []
    for segment in segments where !segment.isEmpty && segment != "." {
      if segment == ".." { _ = kept.popLast() } else { kept.append(segment) }
    }
    let end = path.hasSuffix("/") && !kept.isEmpty ? "/" : ""
    return "/" + kept.map { PercentEncoding.component.encode(String($0)) }.joined(separator: "/") + end
  }

  private static func query(_ query: String) throws(APIError) -> String {
    guard !query.isEmpty else { return "" }
    guard let decoded = PercentEncoding.pairs(of: query) else {
      throw APIError(.signing, .signingFailed, "the query is not percent-encoded UTF-8")
    }
    let pairs = decoded.map {
      (PercentEncoding.component.encode($0.name), PercentEncoding.component.encode($0.value))
    }
    return pairs.sorted { $0.0 == $1.0 ? $0.1 < $1.1 : $0.0 < $1.0 }.map { "\($0.0)=\($0.1)" }.joined(
      separator: "&")
  }
}

/// The header fields that a signature covers: all that the request states, but those that a proxy or the transport
/// changes or adds.
struct AWSSignedHeaders {
  /// `host;x-amz-date`
  let names: String
  /// `host:example.test`
  let lines: [String]

  init(_ request: HTTPRequest) {
    var fields: [String: String] = [:]
    for field in request.headers.fields {
      let name = field.name.lowercased()
      guard !Self.unsigned.contains(name) else { continue }
      let value = Self.collapsed(field.value)
      fields[name] = fields[name].map { "\($0),\(value)" } ?? value
    }
    if fields["host"] == nil { fields["host"] = request.url.authority }
    let sorted = fields.sorted { $0.key < $1.key }
    names = sorted.map(\.key).joined(separator: ";")
    lines = sorted.map { "\($0.key):\($0.value)" }
  }

  private static let unsigned: Set<String> = [
    "authorization", "connection", "expect", "keep-alive", "proxy-authorization", "proxy-connection", "te",
    "traceparent", "tracestate", "trailer", "transfer-encoding", "upgrade", "user-agent", "x-amzn-trace-id",
  ]

  /// A field's value without spaces at its ends, and with one space for several.
  private static func collapsed(_ value: String) -> String {
    value.split(whereSeparator: { $0 == " " || $0 == "\t" }).joined(separator: " ")
  }
}
