/// A response that is about to be stored, for the service and the manager to change: see
/// ``APIService/willStore(_:of:)`` and ``APIManager/willStore(_:)``.
///
/// Changes affect later loads, in memory and on disk. The present landing is not changed.
public struct StorableResponse: Sendable {
  /// Status, header fields without those of the connection, and the body in memory, deciphered. Freshness and
  /// validators are taken from the fields; a changed body is parsed again, and a response that cannot be parsed is not
  /// stored.
  public var http: HTTPResponse { didSet { isChanged = true } }

  /// The body as it landed, parsed.
  public let raw: RawData

  /// The tags by which it may be made stale; at first those of the manager's ``CacheTraits``.
  public var tags: Set<String> { didSet { isChanged = true } }

  /// Whether it is a secret, see ``CacheTraits/isSensitive``; at first as the manager's ``CacheTraits`` say.
  public var isSensitive: Bool { didSet { isChanged = true } }

  /// Whether anything was set.
  private(set) var isChanged = false

  init(_ entry: CacheEntry) {
    (http, raw, tags) = (entry.http, entry.raw ?? .missing, entry.tags)
    isSensitive = entry.isSensitive
  }
}
