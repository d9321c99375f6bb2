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
  let place: String?
  private let fits: (Any) -> Bool

  /// - Parameter options: The value whose part it is, as code; nil for a property of its own.
  package init<Value>(_ name: String, _ value: Value, in options: String? = nil) {
    self.name = name
    self.value = value
    place = options.map { "\($0)(\(name):)" }
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

  /// Whether a stored property of another name was meant for this member: it has the member's type, and the names differ by at
  /// most two letters; by one where the type is not the framework's, such as `Bool`.
  fileprivate func isMeant(by label: String, _ stored: Any) -> Bool {
    guard place == nil, Swift.type(of: stored) == type else { return false }
    let isOwn = String(reflecting: type).hasPrefix("APIKit")
    return EditDistance.between(Array(label.utf8), Array(name.utf8)) <= (isOwn ? 2 : 1)
  }

  private static func isSame(_ left: Any, _ right: Any?) -> Bool {
    guard let right else { return false }
    if Swift.type(of: left) is AnyClass { return left as AnyObject === right as AnyObject }
    if let left = left as? any Equatable { return left.isEqual(right) }
    // Most are: their texts take a hundred times longer.
    return hasSameBytes(left, right) || String(reflecting: left) == String(reflecting: right)
  }

  /// Whether the right value is of the left one's type and a copy of it, as memory shows. Values that are equal may differ in it.
  private static func hasSameBytes<Value>(_ left: Value, _ right: Any) -> Bool {
    guard let right = right as? Value else { return false }
    return withUnsafeBytes(of: left) { left in withUnsafeBytes(of: right) { left.elementsEqual($0) } }
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
        guard let label = child.label else { continue }
        let owner = String(describing: mirror.subjectType)
        guard let statement = known[label] else {
          if let near = first(where: { $0.isMeant(by: label, child.value) }) {
            faults.append(
              "\(owner).\(label) is stored and never asked for; state it as `\(near.name)`, or give the property another name"
            )
          }
          continue
        }
        faults += [statement.fault(of: child.value, in: owner, of: contract, isOverridable)].compactMap { $0 }
      }
      level = mirror.superclassMirror
      isOverridable = true
    }
    return faults
  }
}

/// How far two texts are apart.
package enum EditDistance {
  /// The least number of bytes to insert, remove or replace that turns one text into the other (Levenshtein).
  package static func between(_ one: [UInt8], _ other: [UInt8]) -> Int {
    var row = Array(0...other.count)
    for (index, byte) in one.enumerated() {
      var diagonal = row[0]
      row[0] = index + 1
      for column in other.indices {
        let replaced = diagonal + (byte == other[column] ? 0 : 1)
        diagonal = row[column + 1]
        row[column + 1] = Swift.min(replaced, diagonal + 1, row[column] + 1)
      }
    }
    return row[other.count]
  }
}
