public import APIKit

/// States to which sources a rule of a reformer applies: a manager type, a service, an API, or any.
public struct SourcePattern: Sendable, CustomStringConvertible {
  /// Whether a source fits.
  public let matches: @Sendable (ReformSource) -> Bool
  /// The matching sources as text, for errors.
  public let description: String

  /// Makes a pattern of the application's own.
  public init(_ description: String, matches: @escaping @Sendable (ReformSource) -> Bool) {
    self.description = description
    self.matches = matches
  }

  /// Every source.
  public static var any: SourcePattern { SourcePattern("any source") { _ in true } }

  /// Responses that managers of this very type have loaded.
  public static func manager<Manager: BaseAPIManager>(_ type: Manager.Type) -> SourcePattern {
    SourcePattern("the manager \(type)") { $0.managerType == type }
  }

  /// Responses of the service with this name.
  public static func service(_ name: String) -> SourcePattern {
    SourcePattern("the service \(name)") { $0.serviceName == name }
  }

  /// Responses of the API with this name, of the service with this name when one is given.
  public static func api(_ name: String, of service: String? = nil) -> SourcePattern {
    SourcePattern("the API \(name)") { source in
      source.apiName == name && (service == nil || source.serviceName == service)
    }
  }
}

/// A value for each source of a reformer; the first pattern that fits is used.
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
