// Apple platforms only: type-checked by Scripts/apple, never run here.
#if canImport(Security)
  import Foundation
  import Security

  /// Client identities in the system's form.
  enum SystemIdentity {
    /// Throws ``APIError/Reason/unsupportedCapability`` for a form that the system does not read.
    static func check(_ identity: ClientIdentity?) throws(APIError) {
      switch identity?.form {
      case .pem: throw APIError(unsupported: "client identities in PEM; use PKCS#12 or the keychain")
      case .pkcs12: _ = try MemoryOnlyImport.options()
      case .keychain, nil: break
      }
    }

    /// Reads an identity for a session. Throws ``APIError/Reason/clientIdentityUnreadable``.
    static func credential(_ identity: ClientIdentity) throws(APIError) -> URLCredential {
      let (own, chain) = try read(identity)
      return URLCredential(identity: own, certificates: chain, persistence: .none)
    }

    /// Reads an identity for a connection. Throws ``APIError/Reason/clientIdentityUnreadable``.
    static func reference(_ identity: ClientIdentity) throws(APIError) -> sec_identity_t {
      let (own, chain) = try read(identity)
      // As with a session, the chain is without the certificate itself.
      let reference =
        if let chain, !chain.isEmpty {
          sec_identity_create_with_certificates(own, chain as CFArray)
        } else {
          sec_identity_create(own)
        }
      guard let reference else { throw unreadable("is not one for TLS") }
      return reference
    }

    /// The identity, and the certificates above it where they are known.
    private static func read(
      _ identity: ClientIdentity
    ) throws(APIError) -> (own: SecIdentity, chain: [SecCertificate]?) {
      try check(identity)
      switch identity.form {
      case .pem: throw unreadable("is in PEM")
      case .keychain(let label): return try inKeychain(label)
      case .pkcs12(.bytes(let bytes)): return try imported(Data(bytes), identity.password)
      case .pkcs12(.file(let path)):
        guard let data = FileManager.default.contents(atPath: path) else {
          throw unreadable("cannot be read from \(path)")
        }
        return try imported(data, identity.password)
      }
    }

    private static func imported(
      _ container: Data, _ password: String
    ) throws(APIError) -> (own: SecIdentity, chain: [SecCertificate]?) {
      var found: CFArray?
      var options = try MemoryOnlyImport.options()
      options[kSecImportExportPassphrase as String] = password
      let status = SecPKCS12Import(container as CFData, options as CFDictionary, &found)
      guard status == errSecSuccess, let items = found as? [[String: Any]], let item = items.first,
        let any = item[kSecImportItemIdentity as String], let identity = typed(any)
      else {
        throw unreadable(
          status == errSecAuthFailed ? "has another password" : "is no PKCS#12 container (status \(status))")
      }
      // The chain without the certificate itself, which the identity has.
      let chain = (item[kSecImportItemCertChain as String] as? [SecCertificate]) ?? []
      return (identity, Array(chain.dropFirst()))
    }

    private static func inKeychain(
      _ label: String
    ) throws(APIError) -> (own: SecIdentity, chain: [SecCertificate]?) {
      let query: [String: Any] = [
        kSecClass as String: kSecClassIdentity, kSecAttrLabel as String: label,
        kSecReturnRef as String: true, kSecMatchLimit as String: kSecMatchLimitOne,
      ]
      var found: CFTypeRef?
      let status = SecItemCopyMatching(query as CFDictionary, &found)
      guard status == errSecSuccess, let any = found, let identity = typed(any) else {
        throw unreadable("is not in the keychain under that label (status \(status))")
      }
      return (identity, nil)
    }

    /// A Core Foundation object is of its class by its type's number, not by a Swift cast, which always succeeds.
    private static func typed(_ object: Any) -> SecIdentity? {
      let object = object as CFTypeRef
      return CFGetTypeID(object) == SecIdentityGetTypeID() ? (object as! SecIdentity) : nil
    }

    private static func unreadable(_ why: String) -> APIError {
      APIError(.transport, .clientIdentityUnreadable, "the client identity \(why)")
    }
  }
#endif
