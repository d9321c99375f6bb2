/// The one form of everything that is written to disk: a head that says what is inside, and the content.
///
/// The head has the letters `APIK`, the type of the content, the version of its form, and the id of the key
/// that sealed it (zero for open content): 14 bytes. Secrets are sealed with AES-256-GCM; the head and the
/// place are authenticated with them, so that content does not open as another type, in another version or
/// in another place. What is expected sealed never opens unsealed. Open content has a ``Checksum`` of head and
/// content between the two, 8 bytes, little-endian, and says so by the highest bit of its version; what earlier versions wrote
/// has neither.
struct Envelope: Sendable {
  /// What is inside. This is the whole table: content of a kind that is not here is refused by name. Numbers are never
  /// given twice, and `Docs/Storage.md` lists them.
  enum Kind: UInt8, CaseIterable {
    case cookies = 1
    case credential = 2
    case cachedResponse = 3
    case cachedBody = 4
    case login = 5
    case queuedItem = 6
    case queuedLanding = 7
    case queuedTransfer = 8
    case hosts = 16
    case secrets = 17

    /// In sentences, behind "holds".
    var name: String {
      switch self {
      case .cookies: "cookies"
      case .credential: "a credential"
      case .cachedResponse: "a stored response"
      case .cachedBody: "the body of a stored response"
      case .login: "a login"
      case .queuedItem: "a queued item"
      case .queuedLanding: "a queued landing"
      case .queuedTransfer: "a queued transfer"
      case .hosts: "hosts"
      case .secrets: "the secrets of a setting"
      }
    }
  }

  /// Why content does not open.
  enum Fault: Error, CustomStringConvertible {
    /// No envelope.
    case foreign
    /// One of another kind.
    case otherKind(UInt8, expected: Kind)
    /// One that is open where it should be sealed, or the reverse.
    case other
    case laterVersion(UInt8)
    case earlierVersion(UInt8)
    case otherKey
    /// The bytes were changed, or belong to another place.
    case damaged

    var description: String {
      switch self {
      case .foreign: "is no file of this framework"
      case .otherKind(let number, let expected):
        "holds \(Kind(rawValue: number)?.name ?? "content of the unknown kind \(number)"), not \(expected.name)"
      case .other: "is not what should be there"
      case .laterVersion(let version): "has the form \(version) of a later version"
      case .earlierVersion(let version): "has the form \(version), which is not read any more"
      case .otherKey: "was sealed under another key"
      case .damaged: "was damaged, or belongs elsewhere"
      }
    }
  }

  let kind: Kind
  /// Raised when the content changes its form.
  var version: UInt8 = 1
  /// Whether open content is written with a checksum; not where the row that names it has one.
  var writesChecksum = true

  static let headLength = 14
  /// The bit of the version that says that a checksum follows, and its length.
  private static let checksumMark: UInt8 = 0x80
  private static let checksumLength = 8
  /// The bytes that sealing adds, the head included.
  static let sealedOverhead = headLength + Crypto.nonceLength + Crypto.tagLength
  private static let magic: [UInt8] = Array("APIK".utf8)

  /// Open content in its envelope.
  func wrap(_ content: [UInt8]) -> [UInt8] {
    var writer = ByteWriter(reserving: Self.headLength + Self.checksumLength + content.count)
    wrap(into: &writer) { $0.bytes += content }
    return writer.bytes
  }

  /// Appends open content in its envelope, as `write` writes it.
  func wrap(into writer: inout ByteWriter, _ write: (inout ByteWriter) -> Void) {
    guard writesChecksum else {
      writer.bytes += head(0, version)
      return write(&writer)
    }
    let start = writer.bytes.count
    let content = start + Self.headLength + Self.checksumLength
    writer.bytes += head(0, version | Self.checksumMark) + [UInt8](repeating: 0, count: Self.checksumLength)
    write(&writer)
    let checksum = writer.bytes.withUnsafeBytes { Self.checksum($0[start...], content: $0[content...]) }
    withUnsafeBytes(of: checksum.littleEndian) { bytes in
      for (index, byte) in bytes.enumerated() { writer.bytes[start + Self.headLength + index] = byte }
    }
  }

  private static func checksum(
    _ bytes: Slice<UnsafeRawBufferPointer>, content: Slice<UnsafeRawBufferPointer>
  ) -> UInt64 {
    Checksum.combined(
      Checksum.of(UnsafeRawBufferPointer(rebasing: bytes.prefix(headLength))),
      Checksum.of(UnsafeRawBufferPointer(rebasing: content)))
  }

  /// Content sealed for a place; nil when the encryption fails.
  func seal(_ content: [UInt8], under key: StorageKey, at place: some Sequence<UInt8>) -> [UInt8]? {
    let head = head(key.id, version)
    return Crypto.seal(content, key: key.bytes, authenticating: head + place).map { head + $0 }
  }

  /// Open content, in the bytes of its envelope.
  func unwrap(_ bytes: UnsafeRawBufferPointer) throws(Fault) -> UnsafeRawBufferPointer {
    let (hasChecksum, id) = try read(bytes)
    guard id == 0 else { throw .other }
    guard hasChecksum else {
      return UnsafeRawBufferPointer(rebasing: bytes[Self.headLength...])
    }
    let start = Self.headLength + Self.checksumLength
    guard bytes.count >= start,
      bytes.loadUnaligned(fromByteOffset: Self.headLength, as: UInt64.self).littleEndian
        == Self.checksum(bytes[...], content: bytes[start...])
    else { throw .damaged }
    return UnsafeRawBufferPointer(rebasing: bytes[start...])
  }

  /// Whether bytes are content of this kind that was sealed.
  func isSealed(_ bytes: [UInt8]) -> Bool {
    guard let (_, id) = try? read(bytes) else { return false }
    return id != 0
  }

  /// Sealed content, opened for its place.
  func open(
    _ bytes: [UInt8], under key: StorageKey, at place: some Sequence<UInt8>
  ) throws(Fault) -> [UInt8] {
    try open(bytes, under: StorageKeys(current: key), at: place)
  }

  /// Sealed content, opened for its place under the key that it names.
  func open(
    _ bytes: [UInt8], under keys: StorageKeys, at place: some Sequence<UInt8>
  ) throws(Fault) -> [UInt8] {
    let (hasChecksum, id) = try read(bytes)
    guard id != 0, !hasChecksum else { throw .other }
    guard let key = keys.key(id) else { throw .otherKey }
    let sealed = Array(bytes[Self.headLength...])
    guard let content = Crypto.open(sealed, key: key.bytes, authenticating: head(key.id, version) + place)
    else {
      throw .damaged
    }
    return content
  }

  private func head(_ keyID: UInt64, _ version: UInt8) -> [UInt8] {
    var bytes = Self.magic
    bytes.reserveCapacity(Self.headLength)
    bytes.append(kind.rawValue)
    bytes.append(version)
    withUnsafeBytes(of: keyID.littleEndian) { bytes.append(contentsOf: $0) }
    return bytes
  }

  private func read(_ bytes: some Collection<UInt8>) throws(Fault) -> (hasChecksum: Bool, keyID: UInt64) {
    let head = Array(bytes.prefix(Self.headLength))
    guard head.count == Self.headLength, head.starts(with: Self.magic) else { throw .foreign }
    let number = head[Self.magic.count]
    guard number == kind.rawValue else { throw .otherKind(number, expected: kind) }
    let mark = head[Self.magic.count + 1]
    let found = mark & ~Self.checksumMark
    guard found <= version else { throw .laterVersion(found) }
    guard found == version else { throw .earlierVersion(found) }
    return (mark != found, head.suffix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) })
  }
}
