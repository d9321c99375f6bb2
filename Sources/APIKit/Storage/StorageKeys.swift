/// The key under which a store seals what it writes, and those of the past, under which it still reads.
///
/// So keys can be exchanged: what is read under an earlier key is sealed under the current one when it is written next.
struct StorageKeys: Sendable, Hashable {
  let current: StorageKey
  private let previous: [StorageKey]

  init(current: StorageKey, previous: [StorageKey] = []) {
    self.current = current
    self.previous = previous
  }

  /// Throws the length of the first key that is not 32 bytes long.
  init(_ current: [UInt8], previous: [[UInt8]]) throws(WrongLength) {
    var keys: [StorageKey] = []
    for bytes in [current] + previous {
      guard let key = StorageKey(bytes) else { throw WrongLength(count: bytes.count) }
      keys.append(key)
    }
    self.init(current: keys[0], previous: Array(keys.dropFirst()))
  }

  /// The key with an id; nil when it is not among them.
  func key(_ id: UInt64) -> StorageKey? { current.id == id ? current : previous.first { $0.id == id } }

  /// A key that is not 32 bytes long.
  struct WrongLength: Error {
    let count: Int
  }
}
