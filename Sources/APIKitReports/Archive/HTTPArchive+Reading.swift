public import APIKit

extension HTTPArchive {
  /// Reads a HAR file of any program: fields that are not known are skipped, a byte-order mark and line ends of any
  /// kind are accepted.
  ///
  /// - Throws: `APIError.Reason.malformedBody` when it is no JSON, is of a version that is not 1, or when an entry lacks a
  ///   method, a URL or a status, or has a body that is not in the base64 that it states. The error names the entry.
  public init(parsing bytes: [UInt8]) throws(APIError) { try self.init(RawData(parsing: bytes)) }

  package init(_ raw: RawData) throws(APIError) {
    let list = raw.log.entries
    guard list.kind == .array else {
      throw APIError(.response, .malformedBody, "the file is no HAR: it has no list log.entries")
    }
    // An empty one means 1.1.
    let version = raw.log.version.string ?? ""
    guard version.isEmpty || version == "1" || version.hasPrefix("1.") else {
      throw APIError(
        .response, .malformedBody,
        "the archive is of version \(version.debugDescription); 1.1 and 1.2 are read")
    }
    var entries: [Entry] = []
    for (index, raw) in list.elements.enumerated() { entries.append(try Entry(raw, index)) }
    self.init(entries: entries)
  }
}

extension HTTPArchive.Entry {
  /// - Parameter index: What errors name it by.
  init(_ raw: RawData, _ index: Int) throws(APIError) {
    guard let method = raw.request.method.string, let url = raw.request["url"].string,
      let status = raw.response.status.lenientInt
    else {
      throw APIError(
        .response, .malformedBody, "entry \(index) of the archive lacks a method, a URL or a status")
    }
    var started = raw.startedDateTime.string ?? ""
    self.init(
      secondsSince1970: started.withUTF8 { ISO8601.secondsSince1970($0) } ?? 0,
      request: HTTPArchive.Request(
        method: HTTPMethod(rawValue: method), url: url, headers: HTTPHeaders(raw.request.headers),
        body: try HTTPArchive.Content(
          raw.request.postData, encodingField: "_encoding", "the request of entry \(index)")),
      timings: HTTPArchive.Timings(raw.timings), address: raw.serverIPAddress.string)
    if let size = raw.request.bodySize.integer(Int64.self), size >= 0 { request.body.size = size }
    failure = raw["_error"].string
    // Browsers write their own names of failures there.
    if status > 0 {
      let wire = raw.response.bodySize.int.flatMap { $0 < 0 ? nil : Int64($0) }
      response = HTTPArchive.Response(
        status: status, headers: HTTPHeaders(raw.response.headers),
        version: HTTPVersion(har: raw.response.httpVersion.string),
        body: try HTTPArchive.Content(
          raw.response.content, encodingField: "encoding", "the response of entry \(index)"),
        wireBytes: wire)
    } else if failure == nil {
      failure = "transport.\(APIError.Reason.transportFailed.name)"
    }
    flight = raw["_flight"].integer(UInt64.self)
    // The file does not say of which launch the number is.
    if flight != nil { launch = "" }
    apiName = raw["_api"].string
    service = raw["_service"].string
    resends = max(0, raw["_resends"].int ?? 0)
  }
}

extension HTTPArchive.Content {
  fileprivate init(_ raw: RawData, encodingField: String, _ owner: String) throws(APIError) {
    var bytes = raw.text.string.map { Array($0.utf8) }
    let encoding = raw[encodingField].string ?? ""
    if let text = raw.text.string, !encoding.isEmpty {
      guard encoding.lowercased() == "base64" else {
        throw APIError(
          .response, .malformedBody,
          "\(owner) has a body in the encoding \(encoding.debugDescription); base64 is read")
      }
      // Some programs break it into lines.
      guard let decoded = Base64.decode(text.filter { !$0.isWhitespace }) else {
        throw APIError(.response, .malformedBody, "\(owner) has a body that is not base64, as it states")
      }
      bytes = decoded
    }
    // Some programs write -1 for a size that they do not know.
    let size = raw.size.integer(Int64.self).flatMap { $0 < 0 ? nil : $0 }
    self.init(bytes, size: size, comment: raw.comment.string)
    file = raw["_file"].string
  }
}

extension HTTPArchive.Timings {
  fileprivate init(_ raw: RawData) {
    // Anybody may have written the file; no duration has more.
    func known(_ raw: RawData) -> Double? { raw.double.flatMap { (0...1e12).contains($0) ? $0 : nil } }
    (blocked, dns, connect, tls) = (known(raw.blocked), known(raw.dns), known(raw.connect), known(raw.ssl))
    (send, wait, receive) = (known(raw.send) ?? 0, known(raw.wait) ?? 0, known(raw.receive) ?? 0)
  }
}

extension HTTPHeaders {
  fileprivate init(_ raw: RawData) {
    self.init(
      raw.elements.compactMap { field in
        guard let name = field.name.string, !name.hasPrefix(":") else { return nil }
        return Field(name, field.value.string ?? "")
      })
  }
}

extension HTTPVersion {
  /// `h2`, `http/2.0` and `HTTP/2` are one.
  fileprivate init(har text: String?) {
    self =
      switch text?.lowercased() {
      case "http/1.0": .http1_0
      case "h2", "http/2", "http/2.0": .http2
      case "h3", "http/3", "http/3.0": .http3
      case "-": .other
      default: .http1_1
      }
  }
}
