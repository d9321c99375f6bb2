public import APIKit

/// Which sources a rule of a reformer is for: a manager type, a service, an API, or any.
public struct SourcePattern: Sendable, CustomStringConvertible {
  /// Whether the source fits.
  public let matches: @Sendable (ReformSource) -> Bool
  /// What fits, in words.
  public let description: String

  /// A pattern of the application's own.
  public init(_ description: String, matches: @escaping @Sendable (ReformSource) -> Bool) {
    self.description = description
    self.matches = matches
  }

  /// Every source.
  public static var any: SourcePattern { SourcePattern("any source") { _ in true } }

  /// What managers of this type have loaded.
  public static func manager<Manager: BaseAPIManager>(_ type: Manager.Type) -> SourcePattern {
    SourcePattern("the manager \(type)") { $0.managerType == type }
  }

  /// What comes from the service of this name.
  public static func service(_ name: String) -> SourcePattern {
    SourcePattern("the service \(name)") { $0.serviceName == name }
  }

  /// What comes from the API of this name, of the service of this name when one is given.
  public static func api(_ name: String, of service: String? = nil) -> SourcePattern {
    SourcePattern("the API \(name)") { source in
      source.apiName == name && (service == nil || source.serviceName == service)
    }
  }
}

/// What a reformer keeps for each of its sources; the first pattern that fits counts.
struct SourceTable<Value: Sendable>: Sendable {
  private let entries: [(pattern: SourcePattern, value: Value)]

  init(_ entries: KeyValuePairs<SourcePattern, Value>) {
    self.entries = entries.map { (pattern: $0.key, value: $0.value) }
  }

  /// Throws `APIError.Reason.misconfigured` when no pattern fits.
  func value(for source: ReformSource, what: String) throws(APIError) -> Value {
    for entry in entries where entry.pattern.matches(source) { return entry.value }
    let known = entries.map(\.pattern.description).joined(separator: ", ")
    throw APIError(
      .reform, .misconfigured,
      "there is no \(what) for the API \(source.apiName) of \(source.serviceName) (\(source.managerType)); "
        + "there is one for \(known)")
  }
}
