/// What a child or a validator throws to refuse parameters or a response, with the reason in words.
public struct ValidationError: Error, Sendable, Hashable {
  /// What is wrong and what would be right. Shown in logs, so it must not hold secrets.
  public var message: String

  /// Makes an error.
  public init(_ message: String) { self.message = message }
}
