/// The bytes of a secret: a key that signs, or 32 bytes that encrypt data on disk. They do not appear in prints, logs,
/// errors or reflections.
public struct SecretKey: Sendable {
  /// The secret itself; for signers and encoders only.
  package let bytes: [UInt8]

  /// Makes a key from bytes.
  public init(bytes: [UInt8]) { self.bytes = bytes }

  /// Makes a key from the UTF-8 of a text.
  public init(_ text: String) { bytes = Array(text.utf8) }

  /// Makes a key from hexadecimal digits; nil when the text is not valid.
  public init?(hex: String) {
    guard let bytes = Hex.decode(hex) else { return nil }
    self.bytes = bytes
  }

  /// Makes a key from base64 with padding; nil when the text is not valid.
  public init?(base64: String) {
    guard let bytes = Base64.decode(base64) else { return nil }
    self.bytes = bytes
  }

  /// Makes a new key of random bytes from the system's generator.
  ///
  /// - Parameter count: The number of bytes; the default is 32.
  public static func random(count: Int = 32) -> SecretKey { SecretKey(bytes: Crypto.random(count)) }

  /// The SHA-256 of the secret in hexadecimal digits.
  package var digest: String { Hex.encode(Crypto.sha256(bytes)) }

  /// Throws ``APIError/Reason/signingFailed`` for an empty key, with which anyone could sign.
  package func requireBytes() throws(APIError) {
    guard !bytes.isEmpty else { throw APIError(.signing, .signingFailed, "the signing key is empty") }
  }

  /// Passes the bytes to a closure, for signers of the application.
  public func withBytes<Result>(_ body: ([UInt8]) throws -> Result) rethrows -> Result { try body(bytes) }
}

extension SecretKey: Equatable {
  /// Whether both are equal; compared in constant time.
  public static func == (left: SecretKey, right: SecretKey) -> Bool {
    Crypto.constantTimeEquals(left.bytes, right.bytes)
  }
}

extension SecretKey: Redacted {
  /// `•••`
  public var description: String { "•••" }
  /// A mirror without children, so that `dump` shows nothing.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// The name of ``SecretKey`` in version 0.1.
@available(*, deprecated, renamed: "SecretKey")
public typealias SigningKey = SecretKey
