extension HTTPResponse: Redacted {
  /// Version, status and URL without its query; the header fields; the body if it is text, shortened to 1,000
  /// characters. Secrets are masked by their names (``SecretNames``).
  ///
  /// It contains the response's data, so do not write it to logs that leave the device.
  public var description: String {
    let first = [version == .other ? nil : version.rawValue, String(status), url?.description]
    return ([first.compactMap { $0 }.joined(separator: " ")] + headers.map(\.description) + bodyText)
      .joined(separator: "\n")
  }

  private var bodyText: [String] {
    switch body {
    case .bytes(let bytes):
      if bytes.isEmpty { return [] }
      // Masks are made of whole bodies, which takes long for the largest.
      guard bytes.count <= 1 << 20,
        let text = String(
          wellFormed: SecretMask().body(bytes, contentType: headers["Content-Type"]), as: UTF8.self),
        !text.unicodeScalars.contains(where: { $0.value < 0x20 && !"\t\n\r".unicodeScalars.contains($0) })
      else { return ["\(bytes.count) bytes"] }
      return ["", text.count <= 1000 ? text : text.prefix(1000) + "… (\(bytes.count) bytes)"]
    case .file(let path, let count): return ["\(count) bytes in the file \(path)"]
    case .stream: return ["a stream"]
    }
  }
}

extension APIResponse: Redacted {
  /// API, service and origin, `list (Homes) from the network`, and then what the ``HTTPResponse`` prints.
  public var description: String {
    let names = source.apiName.isEmpty ? [] : ["\(source.apiName) (\(source.serviceName))"]
    return (names + [provenance.words]).joined(separator: " ") + "\n\(http)"
  }
}

extension Provenance {
  /// `from the network` and the like.
  var words: String {
    switch self {
    case .network: "from the network"
    case .memory(let age): "from memory, stored \(age.shortText) ago"
    case .disk(let age): "from disk, stored \(age.shortText) ago"
    case .revalidated: "from the cache, confirmed by the server"
    case .stale(let age): "from the cache, stale, stored \(age.shortText) ago"
    case .fallback: "from the service's fallback"
    }
  }
}
