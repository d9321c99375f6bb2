/// The names of types, each asked of the runtime once: it takes a microsecond, and a load needs one.
///
/// Bounded by the number of types in the program.
enum TypeName {
  private static let known = Mutex<[ObjectIdentifier: String]>([:])

  /// The type's name without its module, as `String(describing:)` has it.
  static func of(_ type: Any.Type) -> String {
    let id = ObjectIdentifier(type)
    if let name = known.withLock({ $0[id] }) { return name }
    let name = String(describing: type)
    known.withLock { $0[id] = name }
    return name
  }
}
