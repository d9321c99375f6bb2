public import Foundation

/// The error that a manager or a validator throws to refuse parameters or a response.
public struct ValidationError: Error, Sendable, Hashable {
  /// The fault and the correct form. It appears in logs, so it must not contain secrets.
  public var message: String

  /// Makes an error.
  public init(_ message: String) { self.message = message }
}

extension ValidationError: LocalizedError {
  /// The message.
  public var errorDescription: String? { message }
}
