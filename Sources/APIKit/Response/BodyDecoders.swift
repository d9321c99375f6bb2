/// The decoders of a service, chosen by the response's content type.
///
/// ```swift
/// var decoders = BodyDecoders.standard
/// decoders.register(MessagePackDecoder(), for: "application/msgpack")
/// ```
/// A decoder is looked for under the media type itself, then under its structured suffix (`+json`), then
/// under its type with a star (`text/*`). Parameters of the content type, such as a charset, play no part.
public struct BodyDecoders: Sendable {
  private var decoders: [String: any BodyDecoder] = [:]

  /// Reads bodies whose content type is absent or has no decoder. Nil refuses them. The default is nil for
  /// an empty registry; in ``standard`` it reads JSON where there is no content type and refuses unknown
  /// ones, see ``readsUnknownTypes``.
  public var fallback: (any BodyDecoder)?

  /// Whether ``fallback`` also reads bodies of a content type that has no decoder. The default is false:
  /// the HTML page of a proxy is reported as such, and not as bad JSON.
  public var readsUnknownTypes = false

  /// No decoders.
  public init() {}

  /// JSON (`application/json`, `+json`, `text/json`, and `text/plain`, as which many services send it),
  /// property lists (`application/x-plist`, `text/x-plist`, `application/x-apple-plist`, `+plist`) and
  /// forms (`application/x-www-form-urlencoded`); without a content type, JSON.
  public static let standard: BodyDecoders = {
    var decoders = BodyDecoders()
    decoders.fallback = JSONBodyDecoder()
    for type in ["application/json", "+json", "text/json", "text/plain"] {
      decoders.register(JSONBodyDecoder(), for: type)
    }
    for type in ["application/x-plist", "text/x-plist", "application/x-apple-plist", "+plist"] {
      decoders.register(PropertyListBodyDecoder(), for: type)
    }
    decoders.register(FormBodyDecoder(), for: "application/x-www-form-urlencoded")
    return decoders
  }()

  /// Has bodies of a type read by a decoder, in place of the one before.
  ///
  /// The type is a media type, a structured suffix (`+json`), or one with a star (`text/*`). Case does not
  /// matter.
  public mutating func register(_ decoder: any BodyDecoder, for type: String) {
    decoders[Self.mediaType(type)] = decoder
  }

  /// Refuses bodies of a type from now on.
  public mutating func remove(_ type: String) { decoders[Self.mediaType(type)] = nil }

  /// The decoder for a content type as the header field gives it; nil when such bodies are refused.
  public func decoder(for contentType: String?) -> (any BodyDecoder)? {
    let type = contentType.map(Self.mediaType) ?? ""
    if type.isEmpty { return fallback }
    if let decoder = decoders[type] { return decoder }
    if let plus = type.lastIndex(of: "+"), let decoder = decoders[String(type[plus...])] { return decoder }
    if let slash = type.firstIndex(of: "/"), let decoder = decoders[type[...slash] + "*"] { return decoder }
    return readsUnknownTypes ? fallback : nil
  }

  /// Reads a body by its content type.
  ///
  /// - Throws: ``APIError/Reason/unacceptableContentType`` when no decoder is registered for it, or what the
  ///   decoder throws.
  public func decode(
    _ bytes: [UInt8], contentType: String?, limits: RawData.Limits = .default
  ) throws(APIError) -> RawData {
    guard let decoder = decoder(for: contentType) else {
      throw APIError(
        .response, .unacceptableContentType,
        "no decoder is registered for the content type \(contentType.map { "\"\($0)\"" } ?? "(none)")")
    }
    return try decoder.decode(bytes, limits: limits)
  }

  /// The media type without parameters and spaces, in lower case.
  static func mediaType(_ type: String) -> String {
    let essence = type.utf8.prefix { $0 != UInt8(ascii: ";") }.filter { $0 != 0x20 && $0 != 0x09 }
    return String(decoding: essence, as: UTF8.self).lowercased()
  }
}
