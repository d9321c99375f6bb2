/// Decodes the bytes of a body into ``RawData``; one type for each format.
///
/// The framework has ``JSONBodyDecoder``, ``PropertyListBodyDecoder`` and ``FormBodyDecoder``;
/// ``BodyDecoders`` chooses among them by content type. For another format, write a decoder that makes the
/// value with ``RawData/init(plain:)`` or from JSON text, and register it with the service's decoders. In a
/// test, call it directly: its result depends only on the bytes.
public protocol BodyDecoder: Sendable {
  /// Decodes a body.
  ///
  /// Called for each response with a body, off the main actor and, unless ``runsInline`` is true, off the
  /// transports' threads. May be called concurrently.
  /// - Parameters:
  ///   - bytes: The body after content decoding and the service's own transformation.
  ///   - limits: The sizes and depths beyond which to throw.
  /// - Throws: An error with the place `response`: ``APIError/Reason/malformedBody`` or
  ///   ``APIError/Reason/bodyLimitExceeded``.
  func decode(_ bytes: [UInt8], limits: RawData.Limits) throws(APIError) -> RawData

  /// Whether the decoder may run on a transport's thread, for bodies of up to 64 KiB. It must then take
  /// only microseconds and never wait. The default, false, runs it in a task.
  var runsInline: Bool { get }
}

extension BodyDecoder {
  /// False.
  public var runsInline: Bool { false }
}

/// Decodes JSON (RFC 8259); see ``RawData``.
public struct JSONBodyDecoder: BodyDecoder {
  /// Makes a decoder.
  public init() {}

  /// True.
  public var runsInline: Bool { true }

  /// Decodes a JSON document.
  public func decode(_ bytes: [UInt8], limits: RawData.Limits = .default) throws(APIError) -> RawData {
    try RawData(parsing: bytes, limits: limits)
  }
}
