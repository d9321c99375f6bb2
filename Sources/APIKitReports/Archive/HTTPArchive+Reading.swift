public import APIKit

extension HTTPArchive {
  /// Reads a HAR file of any program: fields that are not known are skipped, a byte-order mark and line ends of any
  /// kind are accepted.
  ///
  /// - Throws: `APIError.Reason.malformedBody` when it is no JSON, or lacks a method, a URL or a status.
  public init(parsing bytes: [UInt8]) throws(APIError) { try self.init(RawData(parsing: bytes)) }

  package init(_ raw: RawData) throws(APIError) {
    let list = raw.log.entries
    guard list.kind == .array else {
      throw APIError(.response, .malformedBody, "the file is no HAR: it has no list log.entries")
    }
    var entries: [Entry] = []
    for (index, raw) in list.elements.enumerated() {
      guard let entry = Entry(raw) else {
        throw APIError(
          .response, .malformedBody, "entry \(index) of the archive lacks a method, a URL or a status")
      }
      entries.append(entry)
    }
    self.init(entries: entries)
  }
}

extension HTTPArchive.Entry {
  fileprivate init?(_ raw: RawData) {
    guard let method = raw.request.method.string, let url = raw.request["url"].string,
      let status = raw.response.status.lenientInt
    else { return nil }
    var started = raw.startedDateTime.string ?? ""
    self.init(
      secondsSince1970: started.withUTF8 { ISO8601.secondsSince1970($0) } ?? 0,
      request: HTTPArchive.Request(
        method: HTTPMethod(rawValue: method), url: url, headers: HTTPHeaders(raw.request.headers),
        body: HTTPArchive.Content(raw.request.postData, encodingField: "_encoding")),
      timings: HTTPArchive.Timings(raw.timings), address: raw.serverIPAddress.string)
    if let size = raw.request.bodySize.integer(Int64.self), size >= 0 { request.body.size = size }
    failure = raw["_error"].string
    // Browsers write their own names of failures there.
    if status > 0 {
      let wire = raw.response.bodySize.int.flatMap { $0 < 0 ? nil : Int64($0) }
      response = HTTPArchive.Response(
        status: status, headers: HTTPHeaders(raw.response.headers),
        version: HTTPVersion(har: raw.response.httpVersion.string),
        body: HTTPArchive.Content(raw.response.content, encodingField: "encoding"), wireBytes: wire)
    } else if failure == nil {
      failure = "transport.\(APIError.Reason.transportFailed.name)"
    }
    flight = raw["_flight"].integer(UInt64.self)
    apiName = raw["_api"].string
    service = raw["_service"].string
    resends = max(0, raw["_resends"].int ?? 0)
  }
}

extension HTTPArchive.Content {
  fileprivate init(_ raw: RawData, encodingField: String) {
    let text = raw.text.string
    let isBinary = raw[encodingField].string == "base64"
    self.init(
      text.flatMap { isBinary ? Base64.decode($0) : Array($0.utf8) },
      size: raw.size.integer(Int64.self), comment: raw.comment.string)
    file = raw["_file"].string
    if size == nil { size = bytes.map { Int64($0.count) } }
  }
}

extension HTTPArchive.Timings {
  fileprivate init(_ raw: RawData) {
    func known(_ raw: RawData) -> Double? { raw.double.flatMap { $0 < 0 ? nil : $0 } }
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
