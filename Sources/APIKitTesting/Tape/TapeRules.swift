import APIKit

/// The rules that match a request with a recorded one, and that mask secrets.
///
/// A request matches by method, host, path, query in any order, the header fields of ``headers``, and its body by
/// meaning: JSON whatever its layout and the order of its members, forms in any order, multipart whatever its boundary.
/// All hosts of this machine are one, whatever the port.
public struct TapeRules: Sendable {
  /// Names of parameters and members that change from request to request, case ignored. They are not compared; the
  /// default is `timestamp`, `nonce`, `sign`, `signature`, `_` and `ts`.
  public var volatileNames: Set<String> = CacheTraits.usuallyVolatile.union(["_", "ts"])
  /// The header fields that are compared, case ignored; the default is `Authorization`, so that a token from a recorded
  /// sign-in is found again where it is used.
  public var headers: Set<String> = ["Authorization"]
  /// Names that are no secrets for this backend, although they are on the list of `SecretNames`; none by default. A
  /// backend that puts the status of its responses in a member `code` names it here.
  public var plainNames: Set<String> = []

  /// Makes the default rules.
  public init() {}

  func isVolatile(_ name: String) -> Bool {
    volatileNames.contains(name) || volatileNames.contains { $0.lowercased() == name.lowercased() }
  }
}
