public import APIKit

extension CachePolicy: VersionedCodable {
  package static let form = VersionedForm<Self>(
    name: "CachePolicy", start: { Self.none },
    .plain("rule", \.rule), .plain("levels", \.levels), .seconds("defaultLifetime", \.defaultLifetime),
    .texts("mediaTypes", \.mediaTypes))
}

extension CacheLevels: Codable {
  private static let names: KeyValuePairs<String, Self> = ["memory": .memory, "disk": .disk]

  /// Reads the names of the levels.
  public init(from decoder: any Decoder) throws {
    self = []
    for name in try [String](from: decoder) {
      let level = Self.names.first { $0.key == name }?.value
      insert(try level.readable("\(name.debugDescription) is no level of a cache"))
    }
  }

  /// Writes the names of the levels.
  public func encode(to encoder: any Encoder) throws {
    try Self.names.filter { contains($0.value) }.map(\.key).encode(to: encoder)
  }
}

extension CachePolicy.Rule: CaseCodable {
  package static let cases = CaseTable<Self>(
    ["none": .none, "http": .http, "cacheThenNetwork": .cacheThenNetwork, "cacheOnly": .cacheOnly],
    .seconds("fresh", { if case .fresh(let age) = $0 { age } else { nil } }, make: Self.fresh),
    .seconds(
      "networkElseStale", { if case .networkElseStale(let age) = $0 { age } else { nil } },
      make: Self.networkElseStale))
}

extension DiskCacheConfiguration: VersionedCodable {
  package static let form = VersionedForm<Self>(
    name: "DiskCacheConfiguration", start: { Self(folder: "") },
    .plain("folder", \.folder), .plain("maximumBytes", \.maximumBytes),
    .plain("bodyFileThreshold", \.bodyFileThreshold),
    .mapped(
      "encryptionKey", \.storageKey, isSecret: { $0 != nil },
      write: { $0.map { Base64.encode($0.bytes) } },
      read: { try $0.map { try SecretKey(base64: $0).readable("an encryptionKey is base64") } }),
    required: ["folder"])
}

extension CacheTraits: VersionedCodable {
  package static let form = VersionedForm<Self>(
    name: "CacheTraits", start: { Self() },
    .texts("tags", \.tags), .texts("expires", \.expires),
    // `version` is that of the form.
    .plain("storedVersion", \.version), .plain("isSensitive", \.isSensitive),
    .texts("volatileParameters", \.volatileParameters))
}

extension CacheConditionTable: VersionedCodable {
  package static let form = VersionedForm<Self>(
    name: "CacheConditionTable", start: { Self() },
    .plain("unrestricted", \.[.unrestricted]), .plain("expensive", \.[.expensive]),
    .plain("offline", \.[.offline]))
}

extension CacheConditionTable.Preference: CaseCodable {
  package static let cases = CaseTable<Self>([
    "asPolicy": .asPolicy, "stored": .stored, "storedOnly": .storedOnly,
  ])
}
