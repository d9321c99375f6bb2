public import APIKit

extension TransportConfiguration: VersionedCodable {
  package static let form = VersionedForm<Self>(
    name: "TransportConfiguration", start: { Self() },
    .plain("headers", \.headers), .plain("timeouts", \.timeouts), .plain("connections", \.connections),
    .plain("proxy", \.proxy), .plain("tls", \.tls), .plain("cleartext", \.cleartext),
    .plain("interfaces", \.interfaces), .plain("loadOptions", \.loadOptions),
    .url("dnsOverHTTPS", \.dnsOverHTTPS), .plain("unixSocketPath", \.unixSocketPath),
    .plain("maximumDecodedBytes", \.maximumDecodedBytes), .plain("versions", \.versions),
    .plain("persistence", \.persistence), .plain("ignoresCaches", \.ignoresCaches),
    .plain("cacheFollowsNetwork", \.cacheFollowsNetwork), .storageKey(\.storageKey),
    unwritable: ["challenges": { $0.challenges != nil }, "logins": { $0.logins != nil }])
}

extension VersionedForm.Member {
  /// A storage key; that of the keychain is written as this word, whatever it is.
  package static func storageKey(_ path: Path<SecretKey?>) -> Self {
    mapped(
      "storageKey", path, isSecret: { $0 != nil && $0 != .keychain },
      write: { key in
        key == .keychain ? "keychain" : key.map { "base64:" + Base64.encode($0.bytes) } ?? "none"
      },
      read: { text in
        if text == "keychain" { return .keychain }
        if text == "none" { return nil }
        return try (text.hasPrefix("base64:") ? SecretKey(base64: String(text.dropFirst(7))) : nil)
          .readable("a storageKey is keychain, none or base64")
      })
  }
}

extension ConnectionLimits: VersionedCodable {
  package static let form = VersionedForm<Self>(
    name: "ConnectionLimits", start: { Self() },
    .plain("perHost", \.perHost), .plain("total", \.total))
}

extension InterfacePolicy: VersionedCodable {
  package static let form = VersionedForm<Self>(
    name: "InterfacePolicy", start: { Self() },
    .plain("allowsCellular", \.allowsCellular), .plain("allowsExpensive", \.allowsExpensive),
    .plain("allowsConstrained", \.allowsConstrained), .plain("isDiscretionary", \.isDiscretionary),
    .plain("serviceType", \.serviceType))
}

extension HTTPVersionPolicy: CaseCodable {
  package static let cases = CaseTable<Self>([
    "http1Only": .http1Only, "upToHTTP2": .upToHTTP2, "http2PriorKnowledge": .http2PriorKnowledge,
    "upToHTTP3": .upToHTTP3,
  ])
}

extension TransportConfiguration.Persistence: CaseCodable {
  package static let cases = CaseTable<Self>(["disk": .disk, "memory": .memory])
}

extension ProxyChoice: CaseCodable {
  package static let cases = CaseTable<Self>(
    ["none": .none, "system": .system],
    .holding("through", { if case .through(let proxy) = $0 { proxy } else { nil } }, make: Self.through))
}

extension HTTPProxy: VersionedCodable {
  package static let form = VersionedForm<Self>(
    name: "HTTPProxy", start: { Self(.http, host: "", port: 0) },
    .plain("kind", \.kind), .plain("host", \.host), .plain("port", \.port),
    .plain("exceptions", \.exceptions),
    .mapped(
      "login", \.login, isSecret: { $0 != nil }, write: { $0.map(StoredLogin.init) }, read: { $0?.login }),
    required: ["host", "port"])
}

extension HTTPProxy.Kind: CaseCodable {
  package static let cases = CaseTable<Self>(["http": .http, "connect": .connect, "socks5": .socks5])
}

extension LoadOptions: VersionedCodable {
  package static let form = VersionedForm<Self>(
    name: "LoadOptions", start: { .none },
    .plain("destination", \.destination),
    .mapped(
      "login", \.login, isSecret: { $0 != nil }, write: { $0.map(StoredLogin.init) }, read: { $0?.login }),
    .plain("connectTo", \.connectTo), .plain("compressesBody", \.compressesBody),
    .plain("allowsCellular", \.allowsCellular), .plain("allowsExpensive", \.allowsExpensive),
    .plain("allowsConstrained", \.allowsConstrained), .plain("serviceType", \.serviceType),
    .plain("usesCookies", \.usesCookies), .url("cookieDocument", \.cookieDocument),
    .plain("timeouts", \.timeouts), .plain("expectsContinue", \.expectsContinue),
    unwritable: [
      "inspectHead": { $0.inspectHead != nil }, "fileAtHead": { $0.fileAtHead != nil },
      "challenges": { $0.challenges != nil },
    ],
    // Without a statement options cost a load nothing.
    settle: { if merging([(.configuration, $0)]).applied.isEmpty { $0 = .none } })
}

extension HTTPExchange.Destination: CaseCodable {
  package static let cases = CaseTable<Self>(
    .holding(
      "memory", { if case .memory(let most) = $0 { most } else { nil } }, make: Self.memory(maximumBytes:)),
    .holding(
      "file",
      { if case .file(let path, let most) = $0 { FileForm(path: path, maximumBytes: most) } else { nil } },
      make: { .file(path: $0.path, maximumBytes: $0.maximumBytes) }),
    .plain("stream", .stream) { if case .stream = $0 { true } else { false } })

  private struct FileForm: Codable {
    let path: String
    let maximumBytes: Int64
  }
}
