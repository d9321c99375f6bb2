extension CachePolicy: Written {
  static let form = WrittenForm<Self>(
    name: "CachePolicy", start: { Self.none },
    members: [
      .plain("rule", \.rule),
      .plain("levels", \.levels),
      .seconds("defaultLifetime", \.defaultLifetime), .texts("mediaTypes", \.mediaTypes),
    ])
}

extension CacheLevels: Codable {
  private static let names: [(name: String, level: Self)] = [("memory", .memory), ("disk", .disk)]

  /// Reads the names of the levels.
  public init(from decoder: any Decoder) throws {
    self = []
    for name in try [String](from: decoder) {
      guard let level = Self.names.first(where: { $0.name == name })?.level else {
        throw APIError(.assembly, .unreadableForm, "\(name.debugDescription) is no level of a cache")
      }
      insert(level)
    }
  }

  /// Writes the names of the levels.
  public func encode(to encoder: any Encoder) throws {
    try Self.names.filter { contains($0.level) }.map(\.name).encode(to: encoder)
  }
}

extension CachePolicy.Rule: WrittenCases {
  var written: WrittenCase {
    switch self {
    case .none: WrittenCase("none")
    case .fresh(let age): WrittenCase("fresh", WrittenSeconds(age))
    case .http: WrittenCase("http")
    case .cacheThenNetwork: WrittenCase("cacheThenNetwork")
    case .networkElseStale(let age): WrittenCase("networkElseStale", WrittenSeconds(age))
    case .cacheOnly: WrittenCase("cacheOnly")
    }
  }

  static func read(_ one: WrittenCase.Reader) throws -> Self? {
    switch one.name {
    case "none": Self.none
    case "fresh": .fresh(try one.value(WrittenSeconds.self).duration)
    case "http": .http
    case "cacheThenNetwork": .cacheThenNetwork
    case "networkElseStale": .networkElseStale(try one.value(WrittenSeconds.self).duration)
    case "cacheOnly": .cacheOnly
    default: nil
    }
  }
}

extension DiskCacheConfiguration: Written {
  static let form = WrittenForm<Self>(
    name: "DiskCacheConfiguration", start: { Self(folder: "") },
    members: [
      .plain("folder", \.folder), .plain("maximumBytes", \.maximumBytes),
      .plain("bodyFileThreshold", \.bodyFileThreshold),
      .mapped(
        "encryptionKey", \.encryptionKey, isSecret: { $0 != nil }, { $0.map { Base64.encode($0.bytes) } },
        { text in
          try text.map { text in
            guard let key = SigningKey(base64: text) else {
              throw APIError(.assembly, .unreadableForm, "an encryptionKey is base64")
            }
            return key
          }
        }),
    ], required: ["folder"])
}

extension CacheTraits: Written {
  static let form = WrittenForm<Self>(
    name: "CacheTraits", start: { Self() },
    members: [
      .texts("tags", \.tags), .texts("expires", \.expires),
      // `version` is that of the form.
      .plain("storedVersion", \.version), .plain("isSensitive", \.isSensitive),
      .texts("volatileParameters", \.volatileParameters),
    ])
}

extension CacheConditionTable: Written {
  static let form = WrittenForm<Self>(
    name: "CacheConditionTable", start: { Self() },
    members: [
      .plain("unrestricted", \.[.unrestricted]), .plain("expensive", \.[.expensive]),
      .plain("offline", \.[.offline]),
    ])
}

extension CachePreference: WrittenNames {
  static let names: [(name: String, value: Self)] = [
    ("asPolicy", .asPolicy), ("stored", .stored), ("storedOnly", .storedOnly),
  ]
}
