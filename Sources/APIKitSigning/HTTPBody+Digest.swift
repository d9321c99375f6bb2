import APIKit

extension HTTPBody {
  /// The SHA-256 of no bytes, in hexadecimal digits.
  private static let emptyDigest = Hex.encode(Crypto.sha256([]))

  /// The SHA-256 of the bytes of a file.
  static func sha256(ofFile path: String, from offset: Int64) throws(APIError) -> [UInt8] {
    let file = try FileChunks(path: path, offset: offset)
    do {
      return try Crypto.sha256 { try file.next() }
    } catch {
      throw error as? APIError ?? APIError(.signing, .unreadableBody, underlying: error)
    }
  }

  /// The SHA-256 of the body in hexadecimal digits, before any content coding. A file is read for it.
  ///
  /// - Parameter word: What stands for a streamed body, whose digest is not known before it is sent; nil refuses
  ///   it.
  /// - Throws: `APIError.Reason.signingFailed` for a stream that is refused, `APIError.Reason.unreadableBody` for
  ///   a file that cannot be read.
  func sha256(orForStream word: String?, hint: String) throws(APIError) -> String {
    switch self {
    case .empty: return Self.emptyDigest
    case .bytes(let bytes): return bytes.isEmpty ? Self.emptyDigest : Hex.encode(Crypto.sha256(bytes))
    case .file(let path, let offset): return Hex.encode(try Self.sha256(ofFile: path, from: offset))
    case .stream:
      guard let word else {
        throw APIError(
          .signing, .signingFailed,
          "a streamed body has no digest before it is sent; send a file, or \(hint)")
      }
      return word
    }
  }
}
