package import APIKit

extension HTTPArchive {
  /// The archive as the text of a HAR 1.2 file: the fields sorted, one a line.
  ///
  /// Bodies that are not text are in base64. Fields that the framework adds to the form begin with `_`: `_error`,
  /// `_flight`, `_api`, `_service`, `_resends`.
  public func harBytes() -> [UInt8] { tree.bytes }

  package var tree: JSONTree {
    .object([
      "log": .object([
        "version": .string("1.2"),
        "creator": .object([
          "name": .string("APIKit"), "version": .string(ClientDescription.frameworkVersion),
        ]),
        "entries": .array(entries.map(\.tree)),
      ])
    ])
  }
}

extension HTTPArchive.Entry {
  package var tree: JSONTree {
    var fields: [String: JSONTree] = [
      "startedDateTime": .string(
        ISO8601.text(secondsSince1970: secondsSince1970, milliseconds: .always) ?? "1970-01-01T00:00:00.000Z"),
      "time": .double(timings.total),
      "request": request.tree(response?.version),
      "response": response?.tree ?? HTTPArchive.Response.none,
      "cache": .object([:]),
      "timings": timings.tree,
    ]
    if let address { fields["serverIPAddress"] = .string(address) }
    if let failure { fields["_error"] = .string(failure) }
    if let flight { fields["_flight"] = .integer(Int64(clamping: flight)) }
    if let apiName { fields["_api"] = .string(apiName) }
    if let service { fields["_service"] = .string(service) }
    if resends > 0 { fields["_resends"] = .integer(Int64(resends)) }
    return .object(fields)
  }
}

extension HTTPArchive.Request {
  fileprivate func tree(_ version: HTTPVersion?) -> JSONTree {
    var fields: [String: JSONTree] = [
      "method": .string(method.rawValue),
      "url": .string(url),
      "httpVersion": .string((version ?? .http1_1).rawValue),
      "headers": headers.tree,
      "cookies": Self.cookies(
        headers.values("Cookie").flatMap { $0.utf8.split(separator: UInt8(ascii: ";")).map { Substring($0) } }
      ),
      "queryString": query,
      "headersSize": .integer(-1),
      "bodySize": .integer(body.size ?? -1),
    ]
    if body.bytes != nil || body.size ?? 0 > 0 {
      var data: [String: JSONTree] = ["mimeType": .string(headers["Content-Type"] ?? "")]
      body.write(to: &data, encodingField: "_encoding")
      fields["postData"] = .object(data)
    }
    return .object(fields)
  }

  /// By bytes: a mark behind one of these makes one character with it.
  private var query: JSONTree {
    guard let mark = url.utf8.firstIndex(of: UInt8(ascii: "?")) else { return .array([]) }
    let text = url.utf8[mark...].dropFirst().prefix { $0 != UInt8(ascii: "#") }
    func decoded(_ bytes: Substring.UTF8View) -> JSONTree {
      let part = Substring(bytes)
      return .string(PercentEncoding.decode(part, plusIsSpace: true) ?? String(part))
    }
    return .array(
      text.split(separator: UInt8(ascii: "&")).map { pair in
        let name = pair.prefix { $0 != UInt8(ascii: "=") }
        return .object(["name": decoded(name), "value": decoded(pair.dropFirst(name.count + 1))])
      })
  }

  /// By bytes: a joining letter makes one character with what stands behind it.
  fileprivate static func cookies(_ pairs: [Substring]) -> JSONTree {
    .array(
      pairs.map { pair in
        let name = pair.utf8.prefix { $0 != UInt8(ascii: "=") }
        return .object([
          "name": .string(Substring(name).trimmingSpaces()),
          "value": .string(Substring(pair.utf8.dropFirst(name.count + 1)).trimmingSpaces()),
        ])
      })
  }
}

extension HTTPArchive.Response {
  fileprivate var tree: JSONTree {
    var content: [String: JSONTree] = [
      "size": .integer(body.size ?? 0),
      "mimeType": .string(headers["Content-Type"] ?? "x-unknown"),
    ]
    body.write(to: &content, encodingField: "encoding")
    if let wireBytes, let size = body.size, size > wireBytes {
      content["compression"] = .integer(size - wireBytes)
    }
    return .object([
      "status": .integer(Int64(status)), "statusText": .string(HTTPArchive.statusText(status)),
      "httpVersion": .string(version.rawValue), "headers": headers.tree,
      "cookies": HTTPArchive.Request.cookies(
        headers.values("Set-Cookie").map { Substring($0.utf8.prefix { $0 != UInt8(ascii: ";") }) }),
      "content": .object(content),
      "redirectURL": .string(headers["Location"] ?? ""), "headersSize": .integer(-1),
      "bodySize": .integer(wireBytes ?? -1),
    ])
  }

  /// What stands in the place of a response that there is not.
  fileprivate static var none: JSONTree {
    .object([
      "status": .integer(0), "statusText": .string(""), "httpVersion": .string(""), "headers": .array([]),
      "cookies": .array([]), "content": .object(["size": .integer(0), "mimeType": .string("x-unknown")]),
      "redirectURL": .string(""), "headersSize": .integer(-1), "bodySize": .integer(-1),
    ])
  }
}

extension HTTPArchive.Content {
  fileprivate func write(to fields: inout [String: JSONTree], encodingField: String) {
    if let comment { fields["comment"] = .string(comment) }
    if let file { fields["_file"] = .string(file) }
    guard let bytes, file == nil else { return }
    if let text = Self.text(bytes) {
      fields["text"] = .string(text)
    } else {
      fields["text"] = .string(Base64.encode(bytes))
      fields[encodingField] = .string("base64")
    }
  }

  /// The bytes as text; nil where they are none.
  package static func text(_ bytes: [UInt8]) -> String? {
    guard !bytes.contains(where: { $0 < 0x20 && $0 != 9 && $0 != 10 && $0 != 13 || $0 == 0x7F }) else {
      return nil
    }
    return String(wellFormed: bytes, as: UTF8.self)
  }
}

extension HTTPArchive.Timings {
  fileprivate var tree: JSONTree {
    func known(_ time: Double?) -> JSONTree { .double(time ?? -1) }
    return .object([
      "blocked": known(blocked), "dns": known(dns), "connect": known(connect), "ssl": known(tls),
      "send": .double(send), "wait": .double(wait), "receive": .double(receive),
    ])
  }
}

extension HTTPHeaders {
  fileprivate var tree: JSONTree {
    .array(map { .object(["name": .string($0.name), "value": .string($0.value)]) })
  }
}
