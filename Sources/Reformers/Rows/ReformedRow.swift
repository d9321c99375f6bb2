/// One object made by a reformer: values with typed keys, ready to be shown.
///
/// ```swift
/// cell.title = row[.name]      // String
/// cell.price = row[.price]     // Int
/// ```
/// A value type. Rows of one list share the names of their keys.
public struct ReformedRow<Owner>: Sendable {
  private let keys: RowKeys
  private var values: [(any Sendable)?]

  init(keys: RowKeys, values: [(any Sendable)?]) {
    self.keys = keys
    self.values = values
  }

  /// Makes a row without values, which the subscript sets. For reformers of your own.
  public init() {
    keys = RowKeys()
    values = []
  }

  /// The value of a key, or the key's default when the row has none.
  public subscript<Value>(key: ReformedKey<Owner, Value>) -> Value {
    get {
      guard let index = keys.index(of: key.name), let value = values[index] as? Value else {
        return key.defaultValue
      }
      return value
    }
    set { set(newValue, for: key.name) }
  }

  /// The value of a key whose value may be nil; setting nil removes it.
  public subscript<Value>(key: ReformedKey<Owner, Value?>) -> Value? {
    get {
      guard let index = keys.index(of: key.name), let value = values[index] as? Value else {
        return key.defaultValue
      }
      return value
    }
    set { set(newValue, for: key.name) }
  }

  private mutating func set(_ value: (any Sendable)?, for name: String) {
    if let index = keys.index(of: name) {
      values[index] = value
    } else {
      self = ReformedRow(keys: RowKeys(keys.names + [name]), values: values + [value])
    }
  }

  /// Whether the row itself has a value for a key.
  public func has<Value>(_ key: ReformedKey<Owner, Value>) -> Bool {
    keys.index(of: key.name).map { values[$0] != nil } ?? false
  }

  /// The names of the keys that have a value, without their owner, in the order of the key map.
  public var names: [String] { zip(keys.names, values).filter { $0.1 != nil }.map(\.0) }

  /// All values by the full names of their keys, for logs and for writing JSON.
  public var dictionary: [String: any Sendable] {
    var dictionary: [String: any Sendable] = [:]
    for (name, value) in zip(keys.names, values) { dictionary["\(Owner.self).\(name)"] = value }
    return dictionary
  }
}

extension ReformedRow: CustomStringConvertible {
  /// Names and values in order: `name: Lake View, price: 215000`.
  public var description: String {
    zip(keys.names, values).compactMap { name, value in value.map { "\(name): \($0)" } }
      .joined(separator: ", ")
  }
}

/// The names of the keys of many rows.
final class RowKeys: Sendable {
  let names: [String]

  init(_ names: [String] = []) { self.names = names }

  /// For a few short names a scan is faster than hashing.
  func index(of name: String) -> Int? { names.firstIndex(of: name) }
}
