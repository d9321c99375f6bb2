#if os(Linux)
  import CAPIKit

  /// A TLS policy in libcurl's options.
  struct CurlTLS {
    private let policy: TLSPolicy
    let trust: CurlTrust
    /// The authorities to trust besides those of the system, in DER.
    private let roots: [[UInt8]]

    init(_ policy: TLSPolicy) throws(APIError) {
      self.policy = policy
      trust = CurlTrust(policy)
      roots = if case .systemAnd = policy.trust { try TrustAnchors(policy.trust).roots } else { [] }
    }

    /// Whether there is a certificate to show to a server that asks for one.
    var hasIdentity: Bool { policy.identity != nil }

    func apply(to handle: some CurlOptions) throws(APIError) {
      // Debian's libcurl has a default CA path, with which it reads all authorities anew for every
      // connection (20 ms). With the bundle alone it keeps them.
      try handle.set(CURLOPT_CAPATH, nil)
      switch policy.trust {
      case .system, .systemAnd: break
      case .bundle(let path): try handle.set(CURLOPT_CAINFO, path)
      case .certificates(let pem): try handle.set(CURLOPT_CAINFO_BLOB, blob: pem)
      }
      try applyVersion(to: handle, upTo: capikit_curl_newest_tls)
      try handle.set(CURLOPT_SSL_VERIFYPEER, policy.allowsInvalidCertificates ? 0 : 1)
      try handle.set(CURLOPT_SSL_VERIFYHOST, policy.skipsHostValidation ? 0 : 2)
      // A resumed session has no verified chain, and pins must not be matched against an unverified one.
      if policy.pinning.pins != nil { try handle.set(CURLOPT_SSL_SESSIONID_CACHE, 0) }
      if let identity = policy.identity { try apply(identity, to: handle) }
    }

    /// Disables libcurl's verification where the pins of the request's host replace the chain; true when they do. libcurl
    /// does not reuse such a connection for requests whose chain it verifies.
    func replaceChain(of host: String, on handle: some CurlOptions) throws(APIError) -> Bool {
      guard trust.replacesChain(of: host) else { return false }
      try handle.set(CURLOPT_SSL_VERIFYPEER, 0)
      return true
    }

    /// Prepares the context of a new connection. libcurl reads the authorities of the system once and shares them, which
    /// it would not do with those of a blob: that would cost 20 ms for each connection.
    func prepare(_ context: OpaquePointer) {
      if !roots.isEmpty { ChainVerifier.trust(roots, context) }
    }

    /// Presents no client certificate. libcurl does not reuse connections that were made with one then.
    func removeIdentity(from handle: some CurlOptions) throws(APIError) {
      for option in [CURLOPT_SSLCERT, CURLOPT_SSLKEY, CURLOPT_KEYPASSWD] { try handle.set(option, nil) }
      for option in [CURLOPT_SSLCERT_BLOB, CURLOPT_SSLKEY_BLOB] { try handle.set(option, pointer: nil) }
    }

    /// Leaves the decision about the server to ``CurlTrust/accept(_:_:in:)``.
    ///
    /// libcurl gives no connection that was made with other values of these options. Sessions are not kept: a resumed one
    /// would not be verified at all.
    func delegateTrust(on handle: some CurlOptions) throws(APIError) {
      try handle.set(CURLOPT_SSL_VERIFYPEER, 1)
      try handle.set(CURLOPT_SSL_VERIFYHOST, 0)
      try handle.set(CURLOPT_SSL_SESSIONID_CACHE, 0)
    }

    /// Sets the TLS versions that may be used.
    func applyVersion(to handle: some CurlOptions, upTo newest: Int) throws(APIError) {
      try handle.set(CURLOPT_SSLVERSION, version | newest)
    }

    private var version: Int {
      switch policy.minimumVersion {
      case .tls1_0: capikit_curl_tls_1_0
      case .tls1_1: capikit_curl_tls_1_1
      case .tls1_2: capikit_curl_tls_1_2
      case .tls1_3: capikit_curl_tls_1_3
      }
    }

    func apply(_ identity: ClientIdentity, to handle: some CurlOptions) throws(APIError) {
      switch identity.form {
      case .pem(let certificate, let key):
        try handle.set(CURLOPT_SSLCERTTYPE, "PEM")
        try set(certificate, file: CURLOPT_SSLCERT, blob: CURLOPT_SSLCERT_BLOB, on: handle)
        try handle.set(CURLOPT_SSLKEYTYPE, "PEM")
        try set(key, file: CURLOPT_SSLKEY, blob: CURLOPT_SSLKEY_BLOB, on: handle)
      case .pkcs12(let source):
        try handle.set(CURLOPT_SSLCERTTYPE, "P12")
        try set(source, file: CURLOPT_SSLCERT, blob: CURLOPT_SSLCERT_BLOB, on: handle)
      case .keychain:
        throw APIError(unsupported: "identities of a keychain")
      }
      // Always set: without it OpenSSL asks for the password of an encrypted key on the terminal.
      try handle.set(CURLOPT_KEYPASSWD, identity.password)
    }

    private func set(
      _ source: ClientIdentity.Source, file: CURLoption, blob: CURLoption, on handle: some CurlOptions
    ) throws(APIError) {
      switch source {
      case .file(let path): try handle.set(file, path)
      case .bytes(let bytes): try handle.set(blob, blob: bytes)
      }
    }
  }

  /// The TLS version and cipher of a connection as text. The latest text is kept, for most connections have
  /// the same.
  struct CurlTLSNames {
    private var latest: (version: UnsafePointer<CChar>?, cipher: UnsafePointer<CChar>?, text: String)?

    mutating func text(of ssl: OpaquePointer) -> String {
      let version = SSL_get_version(ssl)
      let cipher = SSL_CIPHER_get_name(SSL_get_current_cipher(ssl))
      if let latest, latest.version == version, latest.cipher == cipher { return latest.text }
      let text = [version, cipher].compactMap { $0.map { String(cString: $0) } }.joined(separator: " ")
      latest = (version, cipher, text)
      return text
    }
  }
#endif
