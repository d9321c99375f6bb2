/// A member that a protocol gives a default, and what an object's conformance returns for it.
///
/// A stored property with such a name but another type (an Optional, a concrete type) is not what the protocol asks for:
/// the default counts, and the compiler is silent. A look by `Mirror` finds it, once per type.
package struct StatedMember {
  /// The member's name.
  let name: String
  /// The type that the property must have.
  let type: any Any.Type
  /// What the conformance returns.
  let value: Any
  /// Where it is stated, as code; the property itself when nil.
  var place: String?
  private let fits: (Any) -> Bool

  package init<Value>(_ name: String, _ value: Value, at place: String? = nil) {
    self.name = name
    self.value = value
    self.place = place
    type = Value.self
    fits = { $0 is Value }
  }

  /// Why a stored property of this name is lost; nil when it is what the conformance returns.
  ///
  /// - Parameter isOverridable: Whether a subclass may have replaced the property by rights: it then has another value.
  fileprivate func fault(of stored: Any, in owner: String, of contract: String, _ isOverridable: Bool)
    -> String?
  {
    let has = Swift.type(of: stored)
    if let place {
      // Other types have nothing to do with it: `origin` may be anything.
      guard let own = Self.unwrapped(stored), fits(own), !Self.isSame(own, Self.unwrapped(value)) else {
        return nil
      }
      return "\(owner).\(name) is stored and never asked for; state it in `\(place)`"
    }
    guard has == Swift.type(of: value) else {
      return "\(owner).\(name) is stored as \(has), so the default of \(contract) counts; "
        + "state it as `\(name): \(type)`"
    }
    guard isOverridable || Self.isSame(stored, value) else {
      return "\(owner).\(name) is stored, but \(contract) is told another value; "
        + "declare it once, as visible as the class itself"
    }
    return nil
  }

  private static func isSame(_ left: Any, _ right: Any?) -> Bool {
    guard let right else { return false }
    if Swift.type(of: left) is AnyClass { return left as AnyObject === right as AnyObject }
    if let left = left as? any Equatable { return left.isEqual(right) }
    return String(reflecting: left) == String(reflecting: right)
  }

  /// What an Optional holds; other values as they are.
  private static func unwrapped(_ value: Any) -> Any? {
    let mirror = Mirror(reflecting: value)
    guard mirror.displayStyle == .optional else { return value }
    return mirror.children.first.flatMap { unwrapped($0.value) }
  }
}

extension Equatable {
  fileprivate func isEqual(_ other: Any) -> Bool { self == other as? Self }
}

extension [StatedMember] {
  /// What an object stores under these names without effect, a sentence each, from its own class up to `root`.
  package func faults(of object: Any, of contract: String, below root: (any Any.Type)? = nil) -> [String] {
    let known = Dictionary(map { ($0.name, $0) }) { first, _ in first }
    var faults: [String] = []
    var level: Mirror? = Mirror(reflecting: object)
    var isOverridable = false
    while let mirror = level, mirror.subjectType != root {
      for child in mirror.children {
        guard let statement = child.label.flatMap({ known[$0] }) else { continue }
        let owner = String(describing: mirror.subjectType)
        faults += [statement.fault(of: child.value, in: owner, of: contract, isOverridable)].compactMap { $0 }
      }
      level = mirror.superclassMirror
      isOverridable = true
    }
    return faults
  }
}
