/// How much of a request was sent to a server. It decides whether the request may be sent again.
///
/// Every transport fills it from its own counts, never from an error code: a connection may be refused
/// after another one has carried the same request. Of several attempts the furthest counts.
/// - SeeAlso: <https://www.rfc-editor.org/rfc/rfc9110#section-9.2.2>
public enum RequestProgress: Int, Sendable, Hashable, Comparable, CaseIterable, CustomStringConvertible {
  /// Nothing was sent, or the server has said that it did not read the request (RFC 9113, 8.7).
  case unsent
  /// A part was sent: the server may have acted on it.
  case partlySent
  /// All of it was sent: the server may have acted on it.
  case sent
  /// A response began.
  case responseBegan

  /// Orders the cases from ``unsent`` to ``responseBegan``.
  public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }

  /// For records: `nothing was sent`.
  public var description: String {
    switch self {
    case .unsent: "nothing was sent"
    case .partlySent: "a part of the request was sent"
    case .sent: "the request was sent"
    case .responseBegan: "a response began"
    }
  }
}
