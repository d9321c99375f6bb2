extension HTTPRequest {
  /// The request as a curl command, quoted for a POSIX shell, to paste into a terminal.
  ///
  /// A body that is not text is passed through `base64 -d`, a file is named, and a stream is left to the
  /// standard input. Timeouts and compression are not included.
  /// - Parameter maskingSecrets: Whether the values of secret names (``SecretNames``) in header fields, path, query and
  ///   body (form, multipart, JSON, XML), and the login's password are replaced with `•••`. The default is true; with false
  ///   the text must not be logged.
  public func curlCommand(maskingSecrets: Bool = true) -> String {
    let secrets = SecretMask(isOn: maskingSecrets)
    var words = ["curl"]
    if method == .head, body.isEmpty {
      words.append("--head")
    } else if method != (body.isEmpty ? .get : .post) {
      words += ["-X", Self.quoted(method.rawValue)]
    }
    if let login = options.login {
      switch login.scheme {
      case .basic: break
      case .digest: words.append("--digest")
      case .any: words.append("--anyauth")
      }
      words += ["-u", Self.quoted("\(login.user):\(maskingSecrets ? SecretMask.mark : login.password)")]
    }
    if let address = options.connectTo {
      words += ["--connect-to", Self.quoted("\(url.hostText):\(url.effectivePort ?? 0):\(address)")]
    }
    // A name that is none comes from an archive that anybody has written. No transport sends it, and curl takes `@name` for a file
    // to read.
    for field in headers where HTTPToken.isToken(field.name) {
      let value = secrets.header(field)
      // curl omits a field with an empty value, unless it ends with a semicolon.
      words += ["-H", Self.quoted(value.isEmpty ? field.name + ";" : "\(field.name): \(value)")]
    }
    let (source, data) = bodyWords(secrets)
    words += data
    if !body.isEmpty, !headers.contains("Content-Type") { words += ["-H", "'Content-Type:'"] }
    let target = secrets.text(of: url)
    // curl would leave segments of dots out, which transports send.
    let path = url.path.lowercased()
    if path.contains("/.") || path.contains("/%2e") { words.append("--path-as-is") }
    // curl would expand brackets and braces as ranges and sets.
    if target.utf8.contains(where: { "[]{}".utf8.contains($0) }) { words.append("-g") }
    words.append(Self.quoted(target))
    return source + words.joined(separator: " ")
  }

  /// The command that produces the body, to run before curl, and curl's arguments for it.
  private func bodyWords(_ secrets: SecretMask) -> (source: String, words: [String]) {
    switch body {
    case .empty: return ("", [])
    case .bytes(let original):
      guard !original.isEmpty else { return ("", []) }
      let bytes = secrets.body(original, contentType: headers["Content-Type"])
      guard !bytes.contains(0), let text = String(wellFormed: bytes, as: UTF8.self) else {
        return ("printf %s \(Base64.encode(bytes)) | base64 -d | ", ["--data-binary", "@-"])
      }
      return ("", ["--data-raw", Self.quoted(text)])
    case .file(let path, let offset):
      guard offset > 0 else { return ("", ["--data-binary", Self.quoted("@" + path)]) }
      return ("tail -c +\(offset + 1) \(Self.quoted(path)) | ", ["--data-binary", "@-"])
    case .stream: return ("", ["--data-binary", "@-"])
    }
  }

  private static let plain = ASCIISet(alphanumericsAnd: "-._/:@%+=,")

  /// One word for a shell: unchanged when a shell gives no character a meaning, otherwise in single quotes.
  private static func quoted(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy(plain.contains)
    guard text.isEmpty || !isPlain else { return text }
    // By bytes, as a shell reads it: a mark behind an apostrophe makes one character with it.
    let parts = text.utf8.split(separator: UInt8(ascii: "'"), omittingEmptySubsequences: false)
    return "'" + parts.map { String(Substring($0)) }.joined(separator: "'\\''") + "'"
  }
}
