extension TransportConfiguration: Written {
  static let form = WrittenForm<Self>(
    name: "TransportConfiguration", start: { Self() },
    members: [
      .plain("headers", \.headers), .plain("timeouts", \.timeouts), .plain("connections", \.connections),
      .plain("proxy", \.proxy), .plain("tls", \.tls), .plain("cleartext", \.cleartext),
      .plain("interfaces", \.interfaces), .plain("loadOptions", \.loadOptions),
      .url("dnsOverHTTPS", \.dnsOverHTTPS),
      .plain("unixSocketPath", \.unixSocketPath), .plain("maximumDecodedBytes", \.maximumDecodedBytes),
      .plain("versions", \.versions), .plain("persistence", \.persistence),
      .plain("ignoresCaches", \.ignoresCaches),
      .plain("cacheFollowsNetwork", \.cacheFollowsNetwork),
      .storageKey(\.storageKey),
    ],
    unwritable: { $0.challenges != nil ? "challenges" : $0.logins != nil ? "logins" : nil })
}

extension WrittenForm.Member {
  /// A storage key; that of the keychain is said by this word, whatever it is.
  package static func storageKey(_ path: any (WritableKeyPath<Value, SigningKey?> & Sendable)) -> Self {
    mapped(
      "storageKey", path, isSecret: { $0 != nil && $0 != .keychain },
      { key in key == .keychain ? "keychain" : key.map { "base64:" + Base64.encode($0.bytes) } ?? "none" },
      { text in
        if text == "keychain" { return .keychain }
        if text == "none" { return nil }
        guard text.hasPrefix("base64:"), let key = SigningKey(base64: String(text.dropFirst(7))) else {
          throw APIError(.assembly, .unreadableForm, "a storageKey is keychain, none or base64")
        }
        return key
      })
  }
}

extension ConnectionLimits: Written {
  static let form = WrittenForm<Self>(
    name: "ConnectionLimits", start: { Self() },
    members: [.plain("perHost", \.perHost), .plain("total", \.total)])
}

extension InterfacePolicy: Written {
  static let form = WrittenForm<Self>(
    name: "InterfacePolicy", start: { Self() },
    members: [
      .plain("allowsCellular", \.allowsCellular), .plain("allowsExpensive", \.allowsExpensive),
      .plain("allowsConstrained", \.allowsConstrained), .plain("isDiscretionary", \.isDiscretionary),
      .plain("serviceType", \.serviceType),
    ])
}

extension HTTPVersionPolicy: WrittenNames {
  static let names: [(name: String, value: Self)] = [
    ("http1Only", .http1Only), ("upToHTTP2", .upToHTTP2), ("http2PriorKnowledge", .http2PriorKnowledge),
    ("upToHTTP3", .upToHTTP3),
  ]
}

extension TransportConfiguration.Persistence: WrittenNames {
  static let names: [(name: String, value: Self)] = [("disk", .disk), ("memory", .memory)]
}

extension ProxyChoice: WrittenCases {
  var written: WrittenCase {
    switch self {
    case .none: WrittenCase("none")
    case .system: WrittenCase("system")
    case .through(let proxy): WrittenCase("through", proxy)
    }
  }

  static func read(_ one: WrittenCase.Reader) throws -> Self? {
    switch one.name {
    case "none": Self.none
    case "system": .system
    case "through": .through(try one.value())
    default: nil
    }
  }
}

extension HTTPProxy: Written {
  static let form = WrittenForm<Self>(
    name: "HTTPProxy", start: { Self(.http, host: "", port: 0) },
    members: [
      .plain("kind", \.kind), .plain("host", \.host), .plain("port", \.port),
      .plain("exceptions", \.exceptions),
      .mapped("login", \.login, isSecret: { $0 != nil }, { $0.map(StoredLogin.init) }, { $0?.login }),
    ], required: ["host", "port"])
}

extension HTTPProxy.Kind: WrittenNames {
  static let names: [(name: String, value: Self)] = [
    ("http", .http), ("connect", .connect), ("socks5", .socks5),
  ]
}

extension LoadOptions: Written {
  static let form = WrittenForm<Self>(
    name: "LoadOptions", start: { .none },
    members: [
      .plain("destination", \.destination),
      .mapped("login", \.login, isSecret: { $0 != nil }, { $0.map(StoredLogin.init) }, { $0?.login }),
      .plain("connectTo", \.connectTo), .plain("compressesBody", \.compressesBody),
      .plain("allowsCellular", \.allowsCellular), .plain("allowsExpensive", \.allowsExpensive),
      .plain("allowsConstrained", \.allowsConstrained), .plain("serviceType", \.serviceType),
      .plain("usesCookies", \.usesCookies),
      .url("cookieDocument", \.cookieDocument),
      .plain("timeouts", \.timeouts), .plain("expectsContinue", \.expectsContinue),
    ],
    unwritable: { options in
      options.inspectHead != nil
        ? "inspectHead"
        : options.fileAtHead != nil ? "fileAtHead" : options.challenges != nil ? "challenges" : nil
    },
    // Without a statement options cost a load nothing.
    settle: { if merging([(.configuration, $0)]).applied.isEmpty { $0 = .none } })
}

extension HTTPExchange.Destination: WrittenCases {
  var written: WrittenCase {
    switch self {
    case .memory(let most): WrittenCase("memory", most)
    case .file(let path, let most): WrittenCase("file", FileForm(path: path, maximumBytes: most))
    case .stream: WrittenCase("stream")
    }
  }

  static func read(_ one: WrittenCase.Reader) throws -> Self? {
    switch one.name {
    case "memory": return .memory(maximumBytes: try one.value())
    case "file":
      let file: FileForm = try one.value()
      return .file(path: file.path, maximumBytes: file.maximumBytes)
    case "stream": return .stream
    default: return nil
    }
  }

  private struct FileForm: Codable {
    let path: String
    let maximumBytes: Int64
  }
}
