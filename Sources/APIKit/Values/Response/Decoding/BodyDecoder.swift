/// Decodes the bytes of a body into ``RawData``; one type for each format.
///
/// The framework has ``JSONBodyDecoder``, ``FormBodyDecoder`` and ``TextBodyDecoder``, and in products of their own those of
/// XML and property lists (`APIKitXML`) and of images (`APIKitImages`). ``BodyDecoders`` chooses among them by content type.
/// For another format, write a decoder that makes the value with ``RawData/init(plain:)`` or from JSON text, and register it
/// with the service's decoders. In a test, call it directly: its result depends only on the bytes.
public protocol BodyDecoder: Sendable {
  /// Decodes a body.
  ///
  /// Called for each response with a body, off the main actor and, unless ``runsInline`` is true, off the
  /// transports' threads. May be called concurrently.
  /// - Parameters:
  ///   - bytes: The body after content decoding and the service's own transformation.
  ///   - limits: The sizes and depths beyond which to throw.
  /// - Throws: An error with the stage `response`: ``APIError/Reason/malformedBody`` or
  ///   ``APIError/Reason/bodyLimitExceeded``.
  func decode(_ bytes: [UInt8], limits: RawData.Limits) throws(APIError) -> RawData

  /// Decodes a body whose content type is known, with its parameters: for formats that are written in several charsets.
  /// The default ignores the content type.
  ///
  /// - Parameters:
  ///   - bytes: The body after content decoding and the service's own transformation.
  ///   - contentType: The value of the `Content-Type` field; nil when there is none.
  ///   - limits: The sizes and depths beyond which to throw.
  /// - Throws: As above.
  func decode(
    _ bytes: [UInt8], contentType: String?, limits: RawData.Limits
  ) throws(APIError) -> RawData

  /// Whether the decoder may run on a transport's thread, for bodies of up to 64 KiB. It must then take
  /// only microseconds and never wait. The default, false, runs it in a task.
  var runsInline: Bool { get }
}

extension BodyDecoder {
  /// False.
  public var runsInline: Bool { false }

  /// Decodes the body without its content type.
  public func decode(
    _ bytes: [UInt8], contentType: String?, limits: RawData.Limits
  ) throws(APIError) -> RawData {
    try decode(bytes, limits: limits)
  }
}

/// Decodes JSON (RFC 8259); see ``RawData``.
///
/// JSON is UTF-8. Other charsets of older servers are read as well: UTF-16 and UTF-32, known by their first bytes, and the
/// charset of the content type where the body is not UTF-8.
public struct JSONBodyDecoder: BodyDecoder {
  /// Makes a decoder.
  public init() {}

  /// True.
  public var runsInline: Bool { true }

  /// Decodes a JSON document.
  public func decode(_ bytes: [UInt8], limits: RawData.Limits = .default) throws(APIError) -> RawData {
    try decode(bytes, contentType: nil, limits: limits)
  }

  /// Decodes a JSON document, whose charset the content type may name.
  public func decode(
    _ bytes: [UInt8], contentType: String?, limits: RawData.Limits
  ) throws(APIError) -> RawData {
    // No text in UTF-8 begins so.
    if bytes.count >= 2, bytes[0] == 0 || bytes[1] == 0 || bytes[0] >= 0xFE {
      return try Self.decode(bytes, Charset.mark(of: bytes)?.charset ?? Charset.wide(bytes), limits: limits)
    }
    do throws(APIError) {
      return try RawData(parsing: bytes, limits: limits)
    } catch {
      guard error.reason == .malformedBody,
        let charset = Charset.label(in: contentType).flatMap(Charset.init),
        charset != .utf8, String(wellFormed: bytes, as: UTF8.self) == nil
      else { throw error }
      return try Self.decode(bytes, charset, limits: limits)
    }
  }

  private static func decode(
    _ bytes: [UInt8], _ charset: Charset?, limits: RawData.Limits
  ) throws(APIError) -> RawData {
    try limits.check(bytes)
    let start = Charset.mark(of: bytes)?.length ?? 0
    guard let text = charset?.text(of: bytes[start...], isStrict: true) else {
      throw APIError(.response, .malformedBody, "the body is not text in its charset")
    }
    return try RawData(parsing: text, limits: limits.ofWrittenText)
  }
}
