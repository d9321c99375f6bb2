/// The name of one value of a row, with its type and its default.
///
/// The owner is the reformer that the key belongs to: keys of two reformers may have one name, and
/// `row[.name]` finds only keys of the row's reformer. Declare them in a file of their own beside the
/// reformer, which is all that a view needs to see:
///
/// ```swift
/// extension ReformedKey where Owner == RentListReformer, Value == String {
///   static var name: Self { Self("name", default: "") }
/// }
/// ```
/// A name of up to 15 bytes needs no allocation.
public struct ReformedKey<Owner, Value: Sendable>: Sendable {
  /// The name without its owner.
  public let name: String
  /// The value of a row that has none for this key.
  public let defaultValue: Value

  /// Makes a key.
  public init(_ name: String, default defaultValue: Value) {
    self.name = name
    self.defaultValue = defaultValue
  }

  /// The name with its owner: `RentListReformer.name`.
  public var fullName: String { "\(Owner.self).\(name)" }
}

extension ReformedKey where Value: ExpressibleByNilLiteral {
  /// Makes a key whose value may be missing; the default is nil.
  public init(_ name: String) { self.init(name, default: nil) }
}
