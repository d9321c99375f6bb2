/// The one form of everything that is written to disk: a head that says what is inside, and the content.
///
/// The head has the letters `APIK`, the type of the content, the version of its form, and the id of the key
/// that sealed it (zero for open content): 14 bytes. Secrets are sealed with AES-256-GCM; the head and the
/// place are authenticated with them, so that content does not open as another type, in another version or
/// in another place. What is expected sealed never opens unsealed.
///
/// From version 2 on, open content has its ``Checksum`` before it, which is checked before the content is used. Content of
/// a row stays at version 1: the row's own checksum covers it.
package struct Envelope: Sendable {
  /// What is inside. This is the whole table: content of a kind that is not here is refused by name. Numbers are never
  /// given twice, and `Docs/Contributing/FileFormats.md` lists them.
  package enum EnvelopeKind: UInt8, CaseIterable {
    case cookies = 1
    case credential = 2
    case cachedResponse = 3
    case cachedBody = 4
    case login = 5
    case queuedItem = 6
    case queuedLanding = 7
    case queuedTransfer = 8
    case downloadJournal = 9
    case uploadJournal = 10
    case hosts = 16
    case secrets = 17
    case keptExchange = 18

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
      case .downloadJournal: "the journal of a download"
      case .uploadJournal: "the journal of an upload"
      case .hosts: "hosts"
      case .secrets: "the secrets of a setting"
      case .keptExchange: "a kept exchange"
      }
    }

    /// The versions that are read. A journal had no envelope before version 2.
    var versions: ClosedRange<UInt8> {
      switch self {
      case .queuedItem, .queuedLanding, .queuedTransfer: 1...2
      case .downloadJournal, .uploadJournal: 2...2
      case .cookies, .credential, .cachedResponse, .cachedBody, .login, .hosts, .secrets, .keptExchange: 1...1
      }
    }

    /// The version that is written: 2, with a checksum, where nothing else has one. Content that is always sealed needs
    /// none. The rows of a queue, and the records and bodies of the cache, have a checksum of their own.
    var version: UInt8 {
      switch self {
      case .queuedLanding, .downloadJournal, .uploadJournal: 2
      case .queuedItem, .queuedTransfer, .cookies, .credential, .cachedResponse, .cachedBody, .login, .hosts,
        .secrets, .keptExchange:
        1
      }
    }
  }

  /// Why content does not open.
  package enum Fault: Error, CustomStringConvertible {
    /// No envelope.
    case foreign
    /// One of another kind.
    case otherKind(UInt8, expected: EnvelopeKind)
    /// One that is open where it should be sealed, or the reverse.
    case other
    case laterVersion(UInt8)
    case earlierVersion(UInt8)
    case otherKey
    /// The bytes were changed, or belong to another place.
    case damaged

    package var description: String {
      switch self {
      case .foreign: "is no file of this framework"
      case .otherKind(let number, let expected):
        "holds \(EnvelopeKind(rawValue: number)?.name ?? "content of the unknown kind \(number)"), not \(expected.name)"
      case .other: "is not what should be there"
      case .laterVersion(let version): "has the form \(version) of a later version"
      case .earlierVersion(let version): "has the form \(version), which is not read any more"
      case .otherKey: "was sealed under another key"
      case .damaged: "was damaged, or belongs elsewhere"
      }
    }
  }

  let kind: EnvelopeKind
  /// The versions that are read. Raised when the content changes its form.
  let versions: ClosedRange<UInt8>
  /// The version that is written.
  let version: UInt8
  /// The head of open content.
  private let openHead: [UInt8]

  /// The envelope of a kind, in the versions of the table or in this one alone.
  package init(kind: EnvelopeKind, version: UInt8? = nil) {
    self.kind = kind
    versions = version.map { $0...$0 } ?? kind.versions
    self.version = version ?? kind.version
    openHead = Self.head(kind, self.version, 0)
  }

  static let headLength = 14
  /// The bytes of the checksum, little-endian, behind the head of open content.
  static let checksumLength = 8
  /// The bytes that sealing adds, the head included.
  static let sealedOverhead = headLength + Crypto.nonceLength + Crypto.tagLength
  private static let magic: [UInt8] = Array("APIK".utf8)

  /// Open content in its envelope.
  package func wrap(_ content: [UInt8]) -> [UInt8] {
    var writer = ByteWriter(reserving: Self.headLength + Self.checksumLength + content.count)
    let start = begin(&writer)
    writer.append(contentsOf: content)
    end(&writer, start)
    return writer.finish()
  }

  /// Writes what stands before open content. Behind the content, ``end(_:_:)`` writes its checksum.
  ///
  /// - Returns: Where the content begins.
  package func begin(_ writer: inout ByteWriter) -> Int {
    writer.append(contentsOf: openHead)
    if hasChecksum(version) { writer.append(UInt64(0)) }
    return writer.count
  }

  /// Writes the checksum of open content, which begins at `start` and is the last that was written.
  package func end(_ writer: inout ByteWriter, _ start: Int) {
    guard hasChecksum(version) else { return }
    let sum = writer.bytes.withUnsafeBytes { Checksum.of(UnsafeRawBufferPointer(rebasing: $0[start...])) }
    writer.replace(at: start - Self.checksumLength, with: sum)
  }

  /// Content sealed for a place; nil when the encryption fails.
  package func seal(_ content: [UInt8], under key: StorageKey, at place: some Sequence<UInt8>) -> [UInt8]? {
    let head = Self.head(kind, version, key.id)
    return Crypto.seal(content, key: key.bytes, authenticating: head + place).map { head + $0 }
  }

  /// Open content, in the bytes of its envelope.
  package func unwrap(_ bytes: UnsafeRawBufferPointer) throws(Fault) -> UnsafeRawBufferPointer {
    let head = try head(of: bytes)
    guard head.keyID == 0 else { throw .other }
    guard hasChecksum(head.version) else {
      return UnsafeRawBufferPointer(rebasing: bytes[Self.headLength...])
    }
    let start = Self.headLength + Self.checksumLength
    guard bytes.count >= start else { throw .damaged }
    let content = UnsafeRawBufferPointer(rebasing: bytes[start...])
    let sum = bytes.loadUnaligned(fromByteOffset: Self.headLength, as: UInt64.self)
    guard Checksum.of(content) == UInt64(littleEndian: sum) else { throw .damaged }
    return content
  }

  /// Whether bytes are content of this kind that was sealed.
  package func isSealed(_ bytes: [UInt8]) -> Bool {
    (try? bytes.withUnsafeBytes { try head(of: $0).keyID }) ?? 0 != 0
  }

  /// Sealed content, opened for its place.
  package func open(
    _ bytes: [UInt8], under key: StorageKey, at place: some Sequence<UInt8>
  ) throws(Fault) -> [UInt8] {
    try open(bytes, under: StorageKeys(key), at: place)
  }

  /// Sealed content, opened for its place under the key that it names.
  func open(
    _ bytes: [UInt8], under keys: StorageKeys, at place: some Sequence<UInt8>
  ) throws(Fault) -> [UInt8] {
    let head = try head(of: bytes)
    guard head.keyID != 0 else { throw .other }
    guard let key = keys.key(head.keyID) else { throw .otherKey }
    let sealed = Array(bytes[Self.headLength...])
    guard
      let content = Crypto.open(
        sealed, key: key.bytes, authenticating: Array(bytes[..<Self.headLength]) + place)
    else { throw .damaged }
    return content
  }

  /// Whether open content of a version has its checksum before it.
  private func hasChecksum(_ version: UInt8) -> Bool { version >= 2 }

  private static func head(_ kind: EnvelopeKind, _ version: UInt8, _ keyID: UInt64) -> [UInt8] {
    magic + [kind.rawValue, version] + (0..<8).map { UInt8(truncatingIfNeeded: keyID >> ($0 * 8)) }
  }

  /// The version and the key id of a head of this kind.
  private func head(of bytes: some Collection<UInt8>) throws(Fault) -> (version: UInt8, keyID: UInt64) {
    let head = Array(bytes.prefix(Self.headLength))
    guard head.count == Self.headLength, head.starts(with: Self.magic) else { throw .foreign }
    let number = head[Self.magic.count]
    guard number == kind.rawValue else { throw .otherKind(number, expected: kind) }
    let found = head[Self.magic.count + 1]
    guard found <= versions.upperBound else { throw .laterVersion(found) }
    guard found >= versions.lowerBound else { throw .earlierVersion(found) }
    return (found, head.suffix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) })
  }
}
