/// What the three services demand of their callers.
///
/// Each check returns nil when the signature is right and a sentence when it is not. The Sacramento service
/// answers a wrong one with a business error inside a 200, the Ames and new-homes services with a 401.
public struct DemoSignatures: Sendable {
  /// Looks at a request; nil when its signature is right.
  public typealias Check = @Sendable (DemoRequest) -> String?

  /// The check of the Sacramento service; nil when it takes unsigned requests.
  public var sacramento: Check?
  /// The check of the Ames service; nil when it takes unsigned requests.
  public var ames: Check?
  /// The check of the new-homes service; nil when it takes unsigned requests.
  public var newHomes: Check?

  /// Unsigned requests are welcome everywhere.
  public static let none = DemoSignatures()

  /// Makes a set of checks.
  public init(sacramento: Check? = nil, ames: Check? = nil, newHomes: Check? = nil) {
    self.sacramento = sacramento
    self.ames = ames
    self.newHomes = newHomes
  }
}
