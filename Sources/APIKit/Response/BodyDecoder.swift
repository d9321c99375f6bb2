/// Reads the bytes of a body into ``RawData``; one type for each format.
///
/// JSON, property lists and form-encoded bodies are there (``JSONBodyDecoder``, ``PropertyListBodyDecoder``,
/// ``FormBodyDecoder``); ``BodyDecoders`` chooses among them by content type. To read another format, write
/// a decoder that makes the value with ``RawData/init(plain:)`` or from JSON text, and register it with the
/// service's decoders. In a test, call it: it is a function of its bytes.
public protocol BodyDecoder: Sendable {
  /// Reads a body.
  ///
  /// Called once for each response, off the main actor and, unless ``runsInline`` is true, off the transports'
  /// threads.
  /// - Parameters:
  ///   - bytes: The body after content decoding and the service's byte transform.
  ///   - limits: What to give up at.
  /// - Throws: An error of place `response`: ``APIError/Reason/malformedBody`` or
  ///   ``APIError/Reason/bodyLimitExceeded``.
  func decode(_ bytes: [UInt8], limits: RawData.Limits) throws(APIError) -> RawData

  /// Whether it may run on the main actor and on a transport's thread, for bodies of up to 64 KiB in memory: it takes
  /// microseconds and waits for nothing. The default is false: loads then leave these threads for it.
  var runsInline: Bool { get }
}

extension BodyDecoder {
  /// False.
  public var runsInline: Bool { false }
}

/// Reads JSON of RFC 8259; see ``RawData``.
public struct JSONBodyDecoder: BodyDecoder {
  /// A decoder; it has no settings.
  public init() {}

  /// True.
  public var runsInline: Bool { true }

  /// Reads a JSON document.
  public func decode(_ bytes: [UInt8], limits: RawData.Limits = .default) throws(APIError) -> RawData {
    try RawData(parsing: bytes, limits: limits)
  }
}
