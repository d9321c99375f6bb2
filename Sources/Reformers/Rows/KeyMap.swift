public import APIKit

/// States which value of an object becomes the value of which key of a row.
///
/// ```swift
/// let map: KeyMap<RentListReformer> = [
///   .require(.id, "house_id"),
///   .take(.name, "title", or: "name"),
///   .require(.price, "price.cny") { try $0.require(Double.self) / 100 },
///   .set(.source, "rents"),
/// ]
/// ```
/// Only the named leaves are read. `require` throws when a value is missing, null or of another kind.
/// `take` uses the key's default for a missing or null value, and throws for one of another kind.
public struct KeyMap<Owner>: Sendable, ExpressibleByArrayLiteral {
  /// One value of the row.
  public struct Entry: Sendable {
    let name: String
    let read: @Sendable (RawData) throws -> (any Sendable)?
  }

  private let entries: [Entry]
  private let keys: RowKeys

  /// Makes a map.
  public init(_ entries: [Entry]) {
    self.entries = entries
    keys = RowKeys(entries.map(\.name))
  }

  /// Makes a map.
  public init(arrayLiteral elements: Entry...) { self.init(elements) }

  /// Makes the row of one object.
  ///
  /// Throws the error of an entry: the ready-made ones throw an `APIError` that names the path, what was
  /// expected and what was found.
  public func row(of raw: RawData) throws -> ReformedRow<Owner> {
    var values: [(any Sendable)?] = []
    values.reserveCapacity(entries.count)
    for entry in entries { values.append(try entry.read(raw)) }
    return ReformedRow(keys: keys, values: values)
  }
}

extension KeyMap.Entry {
  /// A value that must not be missing or null.
  public static func require<Value: RawLeaf>(_ key: ReformedKey<Owner, Value>, _ path: RawPath) -> Self {
    Self(name: key.name) { try $0.at(path).require(Value.self) }
  }

  /// A value that must not be missing or null, made by a transform of the data at the path.
  public static func require<Value>(
    _ key: ReformedKey<Owner, Value>, _ path: RawPath,
    _ transform: @escaping @Sendable (RawData) throws -> Value
  ) -> Self {
    Self(name: key.name) { raw in
      let value = raw.at(path)
      guard value.exists, !value.isNull else { throw value.unexpected("a value") }
      return try transform(value)
    }
  }

  /// A value that must not be missing or null, made by a transform of the data at the path, which may return nil.
  public static func require<Value>(
    _ key: ReformedKey<Owner, Value?>, _ path: RawPath,
    _ transform: @escaping @Sendable (RawData) throws -> Value?
  ) -> Self {
    Self(name: key.name) { raw in
      let value = raw.at(path)
      guard value.exists, !value.isNull else { throw value.unexpected("a value") }
      return try transform(value)
    }
  }

  /// A value that may be missing or null: the key's default is used then.
  ///
  /// Of several paths, the first with a value is used.
  public static func take<Value: RawLeaf>(
    _ key: ReformedKey<Owner, Value>, _ path: RawPath, or others: RawPath...
  ) -> Self {
    let paths = [path] + others
    return Self(name: key.name) { try present(in: $0, at: paths)?.require(Value.self) }
  }

  /// A value that may be missing or null, for a key whose value may be nil.
  public static func take<Value: RawLeaf>(
    _ key: ReformedKey<Owner, Value?>, _ path: RawPath, or others: RawPath...
  ) -> Self {
    let paths = [path] + others
    return Self(name: key.name) { try present(in: $0, at: paths)?.require(Value.self) }
  }

  /// A value that may be missing or null, otherwise made by a transform of the data at the path.
  public static func take<Value>(
    _ key: ReformedKey<Owner, Value>, _ path: RawPath,
    _ transform: @escaping @Sendable (RawData) throws -> Value
  ) -> Self {
    Self(name: key.name) { try present(in: $0, at: [path]).map(transform) }
  }

  /// A value that may be missing or null, otherwise made by a transform, which may return nil as well.
  public static func take<Value>(
    _ key: ReformedKey<Owner, Value?>, _ path: RawPath,
    _ transform: @escaping @Sendable (RawData) throws -> Value?
  ) -> Self {
    Self(name: key.name) { try present(in: $0, at: [path]).flatMap(transform) }
  }

  /// A constant value.
  public static func set<Value>(_ key: ReformedKey<Owner, Value>, _ value: Value) -> Self {
    Self(name: key.name) { _ in value }
  }

  /// A constant value; nil leaves the key without one.
  public static func set<Value>(_ key: ReformedKey<Owner, Value?>, _ value: Value?) -> Self {
    Self(name: key.name) { _ in value }
  }

  private static func present(in raw: RawData, at paths: [RawPath]) -> RawData? {
    for path in paths {
      let value = raw.at(path)
      if value.exists, !value.isNull { return value }
    }
    return nil
  }
}

/// Makes the row of one object, by the key map of its source: several sets of names, one kind of row.
///
/// For a list of objects, use it in a ``ListReformer``. Throws `APIError.Reason.misconfigured` for a source
/// without a map.
public struct KeyMapReformer<Owner>: Reformer {
  private let maps: SourceTable<KeyMap<Owner>>

  /// Makes a reformer with one map per source; the first pattern that fits is used.
  public init(_ maps: KeyValuePairs<SourcePattern, KeyMap<Owner>>) { self.maps = SourceTable(maps) }

  /// Makes a reformer with one map for all sources.
  public init(_ map: KeyMap<Owner>) { self.init([.any: map]) }

  /// The row of the object.
  public func reform(_ raw: RawData, from source: ReformSource) throws -> ReformedRow<Owner> {
    try maps.value(for: source, what: "key map").row(of: raw)
  }
}
