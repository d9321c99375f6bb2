public import APIKit

/// The digest of a body as it is sent, in the field `Content-Digest` (RFC 9530).
///
/// It covers the body after content coding, as it is on the wire.
public enum ContentDigest: String, Sendable, Hashable, CaseIterable {
  /// SHA-256.
  case sha256 = "sha-256"
  /// SHA-512.
  case sha512 = "sha-512"

  /// The value of the field for a body in memory: `sha-256=:…:`.
  ///
  /// - Parameter bytes: The body as it is sent, after content coding.
  public func field(of bytes: [UInt8]) -> String { field(ofDigest: digest(of: bytes)) }

  private func field(ofDigest digest: [UInt8]) -> String { "\(rawValue)=:\(Base64.encode(digest)):" }

  /// Checks a body against the value of a field: every digest of a known algorithm must be the body's, and there must
  /// be one.
  ///
  /// - Parameters:
  ///   - field: The value of the field.
  ///   - bytes: The body as it was received, before content coding is undone.
  /// - Throws: `SignatureFault.otherBody`, or `SignatureFault.unreadable(_:)` for a field without a digest that can
  ///   be checked.
  public static func check(_ field: String, of bytes: [UInt8]) throws(SignatureFault) {
    guard let dictionary = StructuredFields.strictDictionary(field) else {
      throw .unreadable("Content-Digest")
    }
    var isChecked = false
    for algorithm in allCases {
      guard let member = dictionary[algorithm.rawValue] else { continue }
      guard case .item(let item) = member, case .bytes(let digest) = item.value else {
        throw .unreadable("Content-Digest")
      }
      guard Crypto.constantTimeEquals(digest, algorithm.digest(of: bytes)) else { throw .otherBody }
      isChecked = true
    }
    guard isChecked else { throw .unreadable("Content-Digest") }
  }

  private func digest(of bytes: [UInt8]) -> [UInt8] {
    switch self {
    case .sha256: Crypto.sha256(bytes)
    case .sha512: Crypto.sha512(bytes)
    }
  }

  /// The value of the field for the body of a request; nil when there is none.
  func field(of body: HTTPBody) throws(APIError) -> String? {
    switch body {
    case .empty: return nil
    case .bytes(let bytes): return bytes.isEmpty ? nil : field(of: bytes)
    case .file(let path, let offset):
      guard self == .sha256 else {
        throw APIError(.signing, .signingFailed, "a file is digested by sha-256; set digest to it")
      }
      return field(ofDigest: try HTTPBody.sha256(ofFile: path, from: offset))
    case .stream:
      throw APIError(
        .signing, .signingFailed,
        "a streamed body has no digest before it is sent; send a file, or do not cover content-digest")
    }
  }
}
