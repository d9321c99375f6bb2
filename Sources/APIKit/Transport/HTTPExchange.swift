/// One request and what to do with its response while it arrives.
public struct HTTPExchange: Sendable {
  /// What is sent.
  public var request: HTTPRequest
  /// Where the body of the response goes; in memory by default.
  public var destination: Destination
  /// Called with status and header fields before the body is read; throwing refuses the body.
  ///
  /// The attempt then fails with ``APIError/Reason/refusedAtHeaders`` and the error thrown as its
  /// `underlying`. Called on a thread of the transport: must not block. None by default.
  public var inspectHead: (@Sendable (_ status: Int, _ headers: HTTPHeaders) throws -> Void)?
  /// Told how far the transfer has come, at most about ten times a second and once at the end.
  ///
  /// Called on a thread of the transport: must not block. None by default.
  public var onProgress: (@Sendable (TransferProgress) -> Void)?

  /// Makes an exchange.
  public init(_ request: HTTPRequest, destination: Destination = .memory()) {
    self.request = request
    self.destination = destination
  }

  /// Where the body of a response goes.
  public enum Destination: Sendable {
    /// Collected in memory, at most so many bytes after decoding; the default is 64 MiB.
    case memory(maximumBytes: Int = 64 << 20)
    /// Written to a file, which is made or replaced; at most so many bytes. Removed when the attempt fails.
    case file(path: String, maximumBytes: Int64 = .max)
    /// Handed over in chunks while it arrives, with back-pressure.
    case stream
  }
}

/// How far a transfer has come, in bytes of body.
public struct TransferProgress: Sendable, Hashable {
  /// Bytes sent.
  public var sent: Int64
  /// Bytes to send in all; nil when not known.
  public var totalToSend: Int64?
  /// Bytes received, before content decoding.
  public var received: Int64
  /// Bytes to receive in all; nil when not known.
  public var totalToReceive: Int64?

  /// Makes a progress.
  public init(sent: Int64 = 0, totalToSend: Int64? = nil, received: Int64 = 0, totalToReceive: Int64? = nil) {
    self.sent = sent
    self.totalToSend = totalToSend
    self.received = received
    self.totalToReceive = totalToReceive
  }
}
