/// The certificate and private key that a client presents to a server that requests them.
///
/// Read when a connection is made. An identity that cannot be read, or has the wrong password, fails the
/// attempt with ``APIError/Reason/clientIdentityUnreadable``.
public struct ClientIdentity: Sendable, Hashable, Redacted {
  /// The format and the sources of certificate and key. `CurlTransport` reads PEM and PKCS#12, `URLSessionTransport` on Apple
  /// platforms PKCS#12 and the keychain.
  public enum Form: Sendable, Hashable {
    /// A PEM certificate (with its chain, if any) and a PEM private key; they may be the same source.
    case pem(certificate: Source, key: Source)
    /// Both in one PKCS#12 container (`.p12`, `.pfx`).
    case pkcs12(Source)
    /// One in the keychain of an Apple system, by its label (`kSecAttrLabel`).
    case keychain(label: String)
  }

  /// The source of the bytes.
  public enum Source: Sendable, Hashable {
    /// A file, read when a connection is made.
    case file(path: String)
    /// Bytes in memory.
    case bytes([UInt8])

    /// The path, or the bytes in hexadecimal digits.
    var text: String {
      switch self {
      case .file(let path): path
      case .bytes(let bytes): Hex.encode(bytes)
      }
    }

    var isEmpty: Bool {
      switch self {
      case .file(let path): path.isEmpty
      case .bytes(let bytes): bytes.isEmpty
      }
    }
  }

  /// The format and the sources.
  public var form: Form
  /// The password of the key or of the container; empty when there is none.
  ///
  /// A key that needs a password fails without it; there is no prompt on a terminal.
  public var password: String

  /// Makes an identity from a PEM certificate and its key.
  public static func pem(certificate: Source, key: Source, password: String = "") -> Self {
    Self(form: .pem(certificate: certificate, key: key), password: password)
  }

  /// Makes an identity from a PKCS#12 container.
  public static func pkcs12(_ source: Source, password: String) -> Self {
    Self(form: .pkcs12(source), password: password)
  }

  /// Names an identity in the keychain of an Apple system. Elsewhere transports refuse it by name.
  public static func keychain(label: String) -> Self { Self(form: .keychain(label: label), password: "") }

  /// The format, without key and password.
  public var description: String {
    switch form {
    case .pem: "PEM client identity"
    case .pkcs12: "PKCS#12 client identity"
    case .keychain: "client identity of the keychain"
    }
  }

  func validate() throws(APIError) {
    switch form {
    case .pem(let certificate, let key):
      guard !certificate.isEmpty else {
        throw TLSPolicy.misconfigured("the client identity has no certificate")
      }
      guard !key.isEmpty else { throw TLSPolicy.misconfigured("the client identity has no key") }
    case .pkcs12(let source):
      guard !source.isEmpty else { throw TLSPolicy.misconfigured("the client identity is empty") }
    case .keychain(let label):
      guard !label.isEmpty else { throw TLSPolicy.misconfigured("the client identity has no label") }
    }
  }
}
