/// The body of a request: none, bytes in memory, a file, or a stream.
public enum HTTPBody: Sendable {
  /// No body.
  case empty
  /// Bytes in memory; can be sent again as often as needed.
  case bytes([UInt8])
  /// The file at a path, read while it is sent; can be sent again. `offset` skips bytes at its start.
  case file(path: String, offset: Int64 = 0)
  /// Chunks made while they are sent. Sent again only when the stream can be opened again.
  case stream(HTTPBodyStream)

  /// Whether there is no body.
  public var isEmpty: Bool {
    switch self {
    case .empty: true
    case .bytes(let bytes): bytes.isEmpty
    case .file, .stream: false
    }
  }

  /// Whether the body can be sent a second time: for a redirect, a retry or an authentication.
  public var isReplayable: Bool {
    if case .stream(let stream) = self { return stream.isReplayable }
    return true
  }
}

/// A request body made of chunks while it is sent.
///
/// `open` is called once per sending and gives a source whose `next` is asked for one chunk at a time, on a
/// thread of the transport's choosing and never twice at once; it may take as long as it likes. An error it
/// throws ends the attempt with ``APIError/Reason/unreadableBody``.
public struct HTTPBodyStream: Sendable {
  /// Gives the next chunk; nil ends the body. An empty chunk is skipped.
  public typealias Source = @Sendable () async throws -> [UInt8]?

  /// The length in bytes when it is known; nil sends the body in chunks (HTTP/1.1) or frames.
  public let length: Int64?
  /// Whether ``open`` may be called more than once.
  public let isReplayable: Bool
  /// Opens the body from its start.
  public let open: @Sendable () throws -> Source

  /// Makes a stream.
  ///
  /// - Parameters:
  ///   - length: The length in bytes when it is known.
  ///   - isReplayable: Whether it can be opened more than once; the default is false.
  ///   - open: Opens the body from its start.
  public init(
    length: Int64? = nil, isReplayable: Bool = false, open: @escaping @Sendable () throws -> Source
  ) {
    self.length = length
    self.isReplayable = isReplayable
    self.open = open
  }
}
