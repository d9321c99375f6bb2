/// The key under which secrets are sealed on disk: 32 bytes.
package struct StorageKey: Sendable, Hashable {
  let bytes: [UInt8]
  /// The first eight bytes of a digest, which tell keys apart and reveal nothing of them; never zero, which
  /// stands for open content.
  let id: UInt64

  /// Nil when the key is not 32 bytes long.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count == 32 else { return nil }
    self.bytes = bytes
    let digest = Crypto.sha256(Array("APIKit key id".utf8) + bytes)
    id = max(1, digest.prefix(8).reduce(0) { $0 << 8 | UInt64($1) })
  }

  /// Throws ``APIError/Reason/misconfigured`` for a key that is not 32 bytes long.
  ///
  /// - Parameter owner: What has the key, in the words of the error, such as "a credential store".
  package init(_ bytes: [UInt8], of owner: String, _ stage: APIError.Stage) throws(APIError) {
    guard let key = StorageKey(bytes) else {
      throw APIError(stage, .misconfigured, "the key of \(owner) has 32 bytes, not \(bytes.count)")
    }
    self = key
  }
}

extension StorageKey: CustomStringConvertible, CustomReflectable {
  /// `•••`
  package var description: String { "•••" }
  /// A mirror without children, so that `dump` shows nothing.
  package var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// The key under which a store seals what it writes, and those of the past, under which it still reads.
///
/// So keys can be exchanged: what is read under an earlier key is sealed under the current one when it is written next.
struct StorageKeys: Sendable, Hashable {
  let current: StorageKey
  private let previous: [StorageKey]

  init(_ only: StorageKey) { (current, previous) = (only, []) }

  /// Throws as one key does.
  init(
    _ current: [UInt8], previous: [[UInt8]], of owner: String, _ stage: APIError.Stage
  ) throws(APIError) {
    self.current = try StorageKey(current, of: owner, stage)
    self.previous = try previous.map { bytes throws(APIError) in try StorageKey(bytes, of: owner, stage) }
  }

  /// The key with an id; nil when it is not among them.
  func key(_ id: UInt64) -> StorageKey? { current.id == id ? current : previous.first { $0.id == id } }
}
