import APIKit

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
    var bytes: [UInt8] = []
    bytes.reserveCapacity(1024)
    let feed = UInt8(ascii: "\n")
    bytes += request.method.rawValue.utf8
    bytes.append(feed)
    bytes += Self.path(request.url.path, isS3: isS3).utf8
    bytes.append(feed)
    try Self.append(query: query ?? "", to: &bytes)
    bytes.append(feed)
    for field in headers.fields {
      bytes += field.name.utf8
      bytes.append(UInt8(ascii: ":"))
      bytes += field.value.utf8
      bytes.append(feed)
    }
    bytes.append(feed)
    bytes += headers.names.utf8
    bytes.append(feed)
    bytes += bodyDigest.utf8
    // With a line feed inside a line, two different requests could have the same text.
    guard bytes.count(where: { $0 == feed }) == headers.fields.count + 5 else {
      throw APIError(.signing, .signingFailed, "a part of the request to sign holds a line feed")
    }
    self.bytes = bytes
  }

  private static func path(_ path: String, isS3: Bool) -> String {
    if isPlain(path) { return path }
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

  /// Whether a path is written as it is: nothing to encode and no segment to leave out.
  private static func isPlain(_ path: String) -> Bool {
    var isAfterSlash = false
    for byte in path.utf8 {
      let isSlash = byte == UInt8(ascii: "/")
      if isAfterSlash, isSlash || byte == UInt8(ascii: ".") { return false }
      guard isSlash || PercentEncoding.component.keeps(byte) else { return false }
      isAfterSlash = isSlash
    }
    return path.utf8.first == UInt8(ascii: "/")
  }

  private static func append(query: String, to bytes: inout [UInt8]) throws(APIError) {
    guard !query.isEmpty, !appendPlain(query, to: &bytes) else { return }
    guard let decoded = PercentEncoding.pairs(of: query) else {
      throw APIError(.signing, .signingFailed, "the query is not percent-encoded UTF-8")
    }
    let pairs = decoded.map {
      (PercentEncoding.component.encode($0.name), PercentEncoding.component.encode($0.value))
    }
    var isFirst = true
    for (name, value) in pairs.sorted(by: { $0.0 == $1.0 ? $0.1 < $1.1 : $0.0 < $1.0 }) {
      if !isFirst { bytes.append(UInt8(ascii: "&")) }
      isFirst = false
      bytes += name.utf8
      bytes.append(UInt8(ascii: "="))
      bytes += value.utf8
    }
  }

  /// Appends a query in which nothing is encoded or to be encoded, whose pairs are only put in order.
  ///
  /// - Returns: Whether it was such a query; nothing is appended otherwise.
  private static func appendPlain(_ query: String, to bytes: inout [UInt8]) -> Bool {
    let text = Array(query.utf8)
    var pairs: [(name: Range<Int>, value: Range<Int>)] = []
    var (start, equals) = (0, Int?.none)
    for index in 0...text.count {
      let byte = index < text.count ? text[index] : UInt8(ascii: "&")
      if byte == UInt8(ascii: "&") {
        guard index > start else { return false }
        pairs.append((start..<(equals ?? index), (equals.map { $0 + 1 } ?? index)..<index))
        (start, equals) = (index + 1, nil)
      } else if byte == UInt8(ascii: "="), equals == nil {
        equals = index
      } else if !PercentEncoding.component.keeps(byte) {
        return false
      }
    }
    if pairs.count > 1 {
      pairs.sort { left, right in
        let (name, other) = (text[left.name], text[right.name])
        if name.elementsEqual(other) { return text[left.value].lexicographicallyPrecedes(text[right.value]) }
        return name.lexicographicallyPrecedes(other)
      }
    }
    for (index, pair) in pairs.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: "&")) }
      bytes += text[pair.name]
      bytes.append(UInt8(ascii: "="))
      bytes += text[pair.value]
    }
    return true
  }
}

/// The header fields that a signature covers: all that the request states, but those that a proxy or the transport
/// changes or adds.
struct AWSSignedHeaders {
  /// `host;x-amz-date`
  let names: String
  /// `host` and `example.test`, sorted by name.
  let fields: [(name: String, value: String)]

  init(_ request: HTTPRequest) {
    var fields: [(name: String, value: String)] = []
    fields.reserveCapacity(request.headers.count + 1)
    for field in request.headers.fields {
      let name = field.name.lowercased()
      guard !Self.unsigned.contains(name) else { continue }
      let value = Self.collapsed(field.value)
      if let index = fields.firstIndex(where: { $0.name == name }) {
        fields[index].value += "," + value
      } else {
        fields.append((name, value))
      }
    }
    if !fields.contains(where: { $0.name == "host" }) { fields.append(("host", request.url.authority)) }
    fields.sort { $0.name < $1.name }
    names = fields.map(\.name).joined(separator: ";")
    self.fields = fields
  }

  private static let unsigned: Set<String> = [
    "authorization", "connection", "expect", "keep-alive", "proxy-authorization", "proxy-connection", "te",
    "traceparent", "tracestate", "trailer", "transfer-encoding", "upgrade", "user-agent", "x-amzn-trace-id",
  ]

  /// A field's value without spaces at its ends, and with one space for several.
  private static func collapsed(_ value: String) -> String {
    if value.utf8.allSatisfy({ $0 > 0x20 }) { return value }
    // By bytes: a space and a mark behind it are one character.
    return value.utf8.split(whereSeparator: { $0 == 0x20 || $0 == 0x09 }).map { String(Substring($0)) }
      .joined(separator: " ")
  }
}
