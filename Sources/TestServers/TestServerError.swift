/// Why a server of the tests could not be had: what is missing or what it said, and the next step.
public struct TestServerError: Error, CustomStringConvertible, Sendable {
  /// One or more sentences, with the tail of the server's own log where there is one.
  public let description: String

  /// An error that says `description`.
  public init(_ description: String) {
    self.description = description
  }
}
