/// Decodes text into a string, in the charset that it is written in.
///
/// A byte-order mark says which, then the charset of the content type, then what the document declares
/// (`<meta charset="…">`, `<?xml encoding="…"?>`); without any it is UTF-8. The charsets are those of the WHATWG
/// encoding standard: UTF-8, UTF-16, UTF-32, ISO 8859, windows-125x, gb18030, GBK, Big5, Shift_JIS, EUC-JP, EUC-KR and
/// others. Unreadable bytes become U+FFFD.
///
/// It is not among the standard decoders: register it if a service sends text.
/// - SeeAlso: <https://encoding.spec.whatwg.org>
public struct TextBodyDecoder: BodyDecoder {
  /// Makes a decoder.
  public init() {}

  /// True.
  public var runsInline: Bool { true }

  /// Decodes text without a content type.
  public func decode(_ bytes: [UInt8], limits: RawData.Limits = .default) throws(APIError) -> RawData {
    try decode(bytes, contentType: nil, limits: limits)
  }

  /// Decodes text.
  ///
  /// - Parameters:
  ///   - bytes: The body.
  ///   - contentType: The value of its `Content-Type` field; nil when there is none.
  ///   - limits: The size beyond which to throw.
  /// - Returns: A string.
  /// - Throws: ``APIError/Reason/malformedBody`` for a charset that is not known, or
  ///   ``APIError/Reason/bodyLimitExceeded``.
  public func decode(
    _ bytes: [UInt8], contentType: String?, limits: RawData.Limits
  ) throws(APIError) -> RawData {
    try limits.check(bytes)
    var json: [UInt8] = []
    RawWriter.append(string: try Self.utf8(bytes, contentType, isStrict: false), to: &json)
    return try RawData(parsing: json, limits: limits.ofWrittenText)
  }

  /// The text in UTF-8, without a byte-order mark.
  package static func utf8(_ bytes: [UInt8], _ contentType: String?, isStrict: Bool) throws(APIError)
    -> [UInt8]
  {
    let mark = Charset.mark(of: bytes)
    var charset = mark?.charset ?? .utf8
    if mark == nil, let label = Charset.label(in: contentType) ?? Charset.declared(in: bytes, readsHTML: true)
    {
      guard let known = Charset(label: label) else {
        throw APIError(
          .response, .malformedBody, "the charset \(String(label.prefix(40)).debugDescription) is not known")
      }
      charset = known
    } else if mark == nil, let wide = Charset.wide(bytes) {
      charset = wide
    }
    guard let text = charset.text(of: bytes[(mark?.length ?? 0)...], isStrict: isStrict) else {
      throw APIError(.response, .malformedBody, "the body is not text in its charset")
    }
    return text
  }
}

extension HTTPResponse {
  /// The body as text, in the charset of its byte-order mark, its content type or its own declaration, else UTF-8; what
  /// cannot be read becomes U+FFFD. Nil for a charset that is not known, and for a body that is not in memory.
  ///
  /// Each access decodes it anew.
  public var text: String? {
    guard case .bytes(let bytes) = body else { return nil }
    return (try? TextBodyDecoder.utf8(bytes, headers["Content-Type"], isStrict: false)).map {
      String(decoding: $0, as: UTF8.self)
    }
  }
}
