/// One message of a WebSocket, complete.
public enum SocketMessage: Sendable, Hashable {
  /// UTF-8 text.
  case text(String)
  /// Bytes.
  case data([UInt8])

  /// How many bytes it has.
  public var byteCount: Int {
    switch self {
    case .text(let text): text.utf8.count
    case .data(let bytes): bytes.count
    }
  }

  /// The message as a parsed document. The bytes of a JSON text or of JSON in bytes; throws
  /// ``APIError/Reason/malformedBody`` for anything else.
  public func raw() throws(APIError) -> RawData {
    switch self {
    case .text(let text): try RawData(parsing: Array(text.utf8))
    case .data(let bytes): try RawData(parsing: bytes)
    }
  }
}
