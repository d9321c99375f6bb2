/// The name of one value that a reformer puts out, with its type and what stands for it when it is missing.
///
/// The owner is the reformer that the key belongs to, so keys of two reformers can have one name and never
/// be mixed up: `row[.name]` finds only keys of the row's own reformer. Declare them in a file of their own
/// beside the reformer, which is all a view has to see:
///
/// ```swift
/// extension ReformedKey where Owner == RentListReformer, Value == String {
///   static var name: Self { Self("name", default: "") }
/// }
/// ```
/// A name of up to 15 bytes costs no allocation.
public struct ReformedKey<Owner, Value: Sendable>: Sendable {
  /// The name without its owner.
  public let name: String
  /// What a row without a value gives.
  public let defaultValue: Value

  /// Makes a key.
  public init(_ name: String, default defaultValue: Value) {
    self.name = name
    self.defaultValue = defaultValue
  }

  /// The name with its owner before it: `RentListReformer.name`.
  public var fullName: String { "\(Owner.self).\(name)" }
}

extension ReformedKey where Value: ExpressibleByNilLiteral {
  /// Makes a key whose value may be missing.
  public init(_ name: String) { self.init(name, default: nil) }
}
