public import APIKit

/// The end of a stream.
public struct StreamClosing: Sendable {
  /// The kind of the end.
  public enum End: String, Sendable, Hashable {
    /// The caller has cancelled it.
    case cancelled
    /// The server has ended it in order: the end of its body, or status 204.
    case finished
    /// The stream is complete; see ``EventStreamManager/ends(at:)``.
    case complete
    /// It failed, or could not be opened.
    case failed
  }

  /// The kind of the end.
  public var end: End
  /// The error; nil for the other ends.
  public var error: APIError?

  /// Makes a closing; for tests.
  public init(_ end: End, error: APIError? = nil) {
    self.end = end
    self.error = error
  }
}
