/// An HTTP method: a token of RFC 9110, e.g. `GET`, or one of the application's own.
///
/// Methods are case-sensitive. A value that is not a token is refused when the request is assembled, with
/// ``APIError/Reason/invalidMethod``.
/// - SeeAlso: <https://www.rfc-editor.org/rfc/rfc9110#section-9>
public struct HTTPMethod: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral,
  CustomStringConvertible
{
  /// The method as it is sent.
  public let rawValue: String

  /// Makes a method.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Makes a method.
  public init(stringLiteral value: String) { self.rawValue = value }

  /// The method as it is sent.
  public var description: String { rawValue }

  /// Transfers a representation of the resource.
  public static let get: Self = "GET"
  /// The same as ``get``, without the body.
  public static let head: Self = "HEAD"
  /// Lets the resource process the body by its own rules.
  public static let post: Self = "POST"
  /// Replaces the resource with the body.
  public static let put: Self = "PUT"
  /// Changes part of the resource (RFC 5789).
  public static let patch: Self = "PATCH"
  /// Removes the resource.
  public static let delete: Self = "DELETE"
  /// Requests the communication options of the resource.
  public static let options: Self = "OPTIONS"

  /// Whether the method requests no change on the server (RFC 9110, 9.2.1).
  public var isSafe: Bool { self == .get || self == .head || self == .options || self == "TRACE" }

  /// Whether sending it twice has the same effect as sending it once (RFC 9110, 9.2.2).
  public var isIdempotent: Bool { isSafe || self == .put || self == .delete }
}
