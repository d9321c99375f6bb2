/// Why a server of the tests could not be started: what is missing or what it printed, and the next step.
public struct TestServerError: Error, CustomStringConvertible, Sendable {
  /// One or more sentences, with the end of the server's log where there is one.
  public let description: String

  /// Makes an error with this description.
  public init(_ description: String) {
    self.description = description
  }
}
