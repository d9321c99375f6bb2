import APIKit

/// Counts where the responses of a result came from.
struct ResponseOrigins: Sendable {
  private enum OriginKind: String, CaseIterable {
    case network, revalidated, memory, disk, stale, fallback
  }

  private var ages: [OriginKind: [Duration]] = [:]

  /// Counts one response.
  mutating func note(_ provenance: Provenance) {
    switch provenance {
    case .network: ages[.network, default: []].append(.zero)
    case .revalidated: ages[.revalidated, default: []].append(.zero)
    case .memory(let age): ages[.memory, default: []].append(age)
    case .disk(let age): ages[.disk, default: []].append(age)
    case .stale(let age): ages[.stale, default: []].append(age)
    case .fallback: ages[.fallback, default: []].append(.zero)
    }
  }

  /// `from disk, 12 s old`; `2 responses from disk, 12 s old; 1 from the network`. Nil where nothing was loaded.
  var words: String? {
    let parts = OriginKind.allCases.compactMap { kind in ages[kind].map { ($0.count, Self.words(kind, $0)) } }
    guard parts.count > 1 else { return parts.first?.1 }
    return parts.enumerated().map { index, part in
      "\(part.0)\(index == 0 ? part.0 == 1 ? " response" : " responses" : "") \(part.1)"
    }.joined(separator: "; ")
  }

  /// How many responses came from where: `{"disk": 2, "network": 1}`.
  var counts: [String: Any?] {
    Dictionary(uniqueKeysWithValues: ages.map { ($0.rawValue, $1.count) })
  }

  /// The age of the oldest response, in seconds.
  var oldest: Int { Int(ages.values.joined().max()?.components.seconds ?? 0) }

  private static func words(_ kind: OriginKind, _ ages: [Duration]) -> String {
    let age = "\(ages.max()?.components.seconds ?? 0) s old"
    return switch kind {
    case .network: "from the network"
    case .revalidated: "from the cache, confirmed by the server"
    case .memory: "from memory, \(age)"
    case .disk: "from disk, \(age)"
    case .stale: "stale, \(age)"
    case .fallback: "from the service's fallback"
    }
  }
}
