#if os(Linux)
  import CAPIKit

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
