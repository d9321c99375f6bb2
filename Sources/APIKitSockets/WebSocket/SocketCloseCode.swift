import APIKit

/// The close code of a WebSocket: the reason for which a side ends the connection.
/// - SeeAlso: <https://www.rfc-editor.org/rfc/rfc6455#section-7.4>
public struct SocketCloseCode: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
  /// The number.
  public let rawValue: UInt16

  /// Makes a code. ``BaseSocketManager/close(_:reason:)`` lists those that may be sent.
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// 1000: the purpose is fulfilled.
  public static let normal = Self(rawValue: 1000)
  /// 1001: a server goes down, or the manager was released.
  public static let goingAway = Self(rawValue: 1001)
  /// 1002: the other side broke the protocol.
  public static let protocolError = Self(rawValue: 1002)
  /// 1003: data of a kind that is not accepted.
  public static let unsupportedData = Self(rawValue: 1003)
  /// 1005: the close frame had no code. Never sent.
  public static let none = Self(rawValue: 1005)
  /// 1006: the connection ended without a close frame. Never sent.
  public static let abnormal = Self(rawValue: 1006)
  /// 1007: a text that is not UTF-8, or a damaged message.
  public static let invalidData = Self(rawValue: 1007)
  /// 1008: a rule of the application was broken.
  public static let policyViolation = Self(rawValue: 1008)
  /// 1009: a message was too large.
  public static let messageTooLarge = Self(rawValue: 1009)
  /// 1010: the client needs an extension that the server does not speak.
  public static let missingExtension = Self(rawValue: 1010)
  /// 1011: the server failed.
  public static let internalError = Self(rawValue: 1011)
  /// 1012: the server restarts.
  public static let serviceRestart = Self(rawValue: 1012)
  /// 1013: the server asks to try again later.
  public static let tryAgainLater = Self(rawValue: 1013)
  /// 1014: a gateway got a bad response.
  public static let badGateway = Self(rawValue: 1014)

  /// The number as text.
  public var description: String { String(rawValue) }

  /// Whether a close frame may have this code: 1000–1003, 1007–1014, 3000–4999.
  static func mayStand(_ code: UInt16) -> Bool {
    switch code {
    case 1000...1003, 1007...1014, 3000...4999: true
    default: false
    }
  }
}
