/// The one form of everything that is written to disk: a head that says what is inside, and the content.
///
/// The head has the letters `APIK`, the type of the content, the version of its form, and the id of the key
/// that sealed it (zero for open content): 14 bytes. Secrets are sealed with AES-256-GCM; the head and the
/// place are authenticated with them, so that content does not open as another type, in another version or
/// in another place. What is expected sealed never opens unsealed.
struct Envelope: Sendable {
  /// What is inside. Numbers are never given twice.
  enum Kind: UInt8 {
    case cookies = 1
    case credential = 2
    case cachedResponse = 3
    case cachedBody = 4
    case login = 5
    case queuedItem = 6
    case queuedLanding = 7
    case hosts = 16
  }

  /// Why content does not open.
  enum Fault: Error, CustomStringConvertible {
    /// No envelope, one of another type, or one that is open where it should be sealed, or the reverse.
    case other
    case laterVersion(UInt8)
    case otherKey
    /// The bytes were changed, or belong to another place.
    case damaged

    var description: String {
      switch self {
      case .other: "is not what should be there"
      case .laterVersion(let version): "has the form \(version) of a later version"
      case .otherKey: "was sealed under another key"
      case .damaged: "was damaged, or belongs elsewhere"
      }
    }
  }

  let kind: Kind
  /// Raised when the content changes its form.
  var version: UInt8 = 1

  static let headLength = 14
  /// The bytes that sealing adds, the head included.
  static let sealedOverhead = headLength + Crypto.nonceLength + Crypto.tagLength
  private static let magic: [UInt8] = Array("APIK".utf8)

  /// Open content in its envelope.
  func wrap(_ content: [UInt8]) -> [UInt8] { head(0) + content }

  /// Content sealed for a place; nil when the encryption fails.
  func seal(_ content: [UInt8], under key: StorageKey, at place: some Sequence<UInt8>) -> [UInt8]? {
    let head = head(key.id)
    return Crypto.seal(content, key: key.bytes, authenticating: head + place).map { head + $0 }
  }

  /// Open content, in the bytes of its envelope.
  func unwrap(_ bytes: UnsafeRawBufferPointer) throws(Fault) -> UnsafeRawBufferPointer {
    guard try keyID(of: bytes) == 0 else { throw .other }
    return UnsafeRawBufferPointer(rebasing: bytes[Self.headLength...])
  }

  /// Sealed content, opened for its place.
  func open(
    _ bytes: [UInt8], under key: StorageKey, at place: some Sequence<UInt8>
  ) throws(Fault) -> [UInt8] {
    switch try keyID(of: bytes) {
    case key.id: break
    case 0: throw .other
    default: throw .otherKey
    }
    let sealed = Array(bytes[Self.headLength...])
    guard let content = Crypto.open(sealed, key: key.bytes, authenticating: head(key.id) + place) else {
      throw .damaged
    }
    return content
  }

  private func head(_ keyID: UInt64) -> [UInt8] {
    Self.magic + [kind.rawValue, version] + withUnsafeBytes(of: keyID.littleEndian, Array.init)
  }

  private func keyID(of bytes: some Collection<UInt8>) throws(Fault) -> UInt64 {
    let head = Array(bytes.prefix(Self.headLength))
    guard head.count == Self.headLength, head.starts(with: Self.magic + [kind.rawValue]) else { throw .other }
    let found = head[Self.magic.count + 1]
    guard found <= version else { throw .laterVersion(found) }
    guard found == version else { throw .other }
    return head.suffix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}
