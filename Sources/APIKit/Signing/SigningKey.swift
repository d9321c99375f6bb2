/// The bytes of a secret, which never show in a print, a log, an error or a reflection.
public struct SigningKey: Sendable {
  /// The secret itself; for signers and encoders only.
  let bytes: [UInt8]

  /// A key of bytes.
  public init(bytes: [UInt8]) { self.bytes = bytes }

  /// A key that is the UTF-8 of a text.
  public init(_ text: String) { bytes = Array(text.utf8) }

  /// A key written in hexadecimal digits; nil when they are not.
  public init?(hex: String) {
    guard let bytes = Hex.decode(hex) else { return nil }
    self.bytes = bytes
  }

  /// A key written in base64 with padding; nil when it is not.
  public init?(base64: String) {
    guard let bytes = Base64.decode(base64) else { return nil }
    self.bytes = bytes
  }

  /// A new key of random bytes from the system's generator.
  ///
  /// - Parameter count: How many bytes; the default is 32.
  public static func random(count: Int = 32) -> SigningKey { SigningKey(bytes: Crypto.random(count)) }

  /// Throws ``APIError/Reason/signingFailed`` when there are no bytes: anybody could sign with that.
  func requireBytes() throws(APIError) {
    guard !bytes.isEmpty else { throw APIError(.signing, .signingFailed, "the signing key is empty") }
  }

  /// Gives the bytes to a closure, for signers of the application's own.
  public func withBytes<Result>(_ body: ([UInt8]) throws -> Result) rethrows -> Result { try body(bytes) }
}

extension SigningKey: Equatable {
  /// Whether both are the same; takes equally long wherever they differ.
  public static func == (left: SigningKey, right: SigningKey) -> Bool {
    Crypto.constantTimeEquals(left.bytes, right.bytes)
  }
}

extension SigningKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// `•••`
  public var description: String { "•••" }
  /// `•••`
  public var debugDescription: String { "•••" }
  /// A mirror without children, so that `dump` shows nothing.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
