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
