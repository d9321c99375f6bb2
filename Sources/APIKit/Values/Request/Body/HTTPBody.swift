/// The body of a request: none, bytes in memory, a file, or a stream.
public enum HTTPBody: Sendable {
  /// No body.
  case empty
  /// Bytes in memory. Can be sent again as often as needed.
  case bytes([UInt8])
  /// The file at a path, read while it is sent. Can be sent again. `offset` is the number of bytes to skip
  /// at its start.
  ///
  /// The file must not change between the call of a load and its response, or the load fails with
  /// ``APIError/Reason/unreadableBody``: its inode, length and time of change are compared before each request and after
  /// the last one.
  case file(path: String, offset: Int64 = 0)
  /// Chunks produced while they are sent. Can be sent again only if the stream can be opened again.
  case stream(HTTPBodyStream)

  /// The path of the file that it is; nil for another body.
  var file: String? {
    if case .file(let path, _) = self { path } else { nil }
  }

  /// Whether there is no body.
  public var isEmpty: Bool {
    switch self {
    case .empty: true
    case .bytes(let bytes): bytes.isEmpty
    case .file, .stream: false
    }
  }

  /// Whether the body can be sent again: for a redirect, a retry or an authentication.
  public var isReplayable: Bool {
    if case .stream(let stream) = self { return stream.isReplayable }
    return true
  }
}

/// A request body that is produced in chunks while it is sent.
///
/// `open` is called each time the body is sent, and returns a source that is called for one chunk at a
/// time, on a thread of the transport and never concurrently. The source may take any time. An error that
/// it throws ends the attempt with ``APIError/Reason/unreadableBody``.
public struct HTTPBodyStream: Sendable {
  /// Returns the next chunk; nil ends the body. An empty chunk is skipped.
  public typealias Source = @Sendable () async throws -> [UInt8]?

  /// The length in bytes if known; with nil the body is sent in chunks (HTTP/1.1) or frames.
  public let length: Int64?
  /// Whether ``open`` may be called more than once.
  public let isReplayable: Bool
  /// The media type of its bytes: the `Content-Type` of a request that states none. The default, nil, states none.
  public let contentType: String?
  /// Opens the body from its start.
  public let open: @Sendable () throws -> Source
  /// Opens the body for a transport that reads on its own thread; nil where it comes only in chunks.
  package var openReader: (@Sendable () throws(APIError) -> any BodyReader)?

  /// Makes a stream.
  ///
  /// - Parameters:
  ///   - length: The length in bytes if known.
  ///   - isReplayable: Whether it can be opened more than once; the default is false.
  ///   - contentType: The media type of its bytes, for the request to state.
  ///   - open: Opens the body from its start.
  public init(
    length: Int64? = nil, isReplayable: Bool = false, contentType: String? = nil,
    open: @escaping @Sendable () throws -> Source
  ) {
    self.length = length
    self.isReplayable = isReplayable
    self.contentType = contentType
    self.open = open
  }
}

/// A body that is read on the transport's thread, without waiting and without a copy in between.
package protocol BodyReader: AnyObject, Sendable {
  /// Copies the next bytes into a buffer and returns how many; 0 ends the body.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(APIError) -> Int
}
