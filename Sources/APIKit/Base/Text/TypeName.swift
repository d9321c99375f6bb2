/// The names of types, each asked of the runtime once: it takes a microsecond, and a load needs one.
///
/// Bounded by the number of types in the program.
enum TypeName {
  private static let known = Mutex<[ObjectIdentifier: String]>([:])

  /// The type's name without its module, as `String(describing:)` has it; empty for an ``UnnamedManager``.
  static func of(_ type: Any.Type) -> String {
    let id = ObjectIdentifier(type)
    if let name = known.withLock({ $0[id] }) { return name }
    let name = type is any UnnamedManager.Type ? "" : String(describing: type)
    known.withLock { $0[id] = name }
    return name
  }

  /// The name of a manager type; that of its call, such as `GET homes/{id}`, for an ``UnnamedManager``.
  static func of(
    manager type: Any.Type, method: @autoclosure () -> String, apiName: @autoclosure () -> String
  ) -> String {
    let name = of(type)
    return name.isEmpty ? "\(method()) \(apiName())" : name
  }
}

/// A manager type of the framework itself, whose name would say nothing to a reader of errors and records.
protocol UnnamedManager {}
