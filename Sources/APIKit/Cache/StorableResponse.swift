/// A response that is about to be stored, for the service and the manager to change: see
/// ``APIService/willStore(_:of:)`` and ``APIManager/willStore(_:)``.
///
/// The landing is not changed by it. What is changed here is what a later load finds, in memory and on disk.
public struct StorableResponse: Sendable {
  private struct Values: Sendable {
    var http: HTTPResponse
    var tags: Set<String>
    var isSensitive: Bool
  }

  private let entry: CacheEntry
  /// Nil until something is changed: most responses are stored as they are, and cost no copy.
  private var changes: Boxed<Values>?

  init(_ entry: CacheEntry) { self.entry = entry }

  private var values: Values {
    get { changes?.value ?? Values(http: entry.http, tags: entry.tags, isSensitive: entry.isSensitive) }
    set { changes = Boxed(newValue) }
  }

  /// Whether anything was set.
  var isChanged: Bool { changes != nil }

  /// Status, header fields without those of the connection, and the body in memory, deciphered. Freshness and
  /// validators are taken from the fields; a changed body is parsed again, and a response that cannot be parsed is not
  /// stored.
  public var http: HTTPResponse {
    get { changes?.value.http ?? entry.http }
    set { values.http = newValue }
  }

  /// The body as it landed, parsed.
  public var raw: RawData { entry.raw ?? .missing }

  /// The tags by which it may be made stale; at first those of the manager's ``CacheTraits``.
  public var tags: Set<String> {
    get { changes?.value.tags ?? entry.tags }
    set { values.tags = newValue }
  }

  /// Whether it is a secret, see ``CacheTraits/isSensitive``; at first as the manager's ``CacheTraits`` say.
  public var isSensitive: Bool {
    get { changes?.value.isSensitive ?? entry.isSensitive }
    set { values.isSensitive = newValue }
  }
}
