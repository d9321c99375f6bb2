/// The decoders of a service, chosen by the response's content type.
///
/// ```swift
/// var decoders = BodyDecoders.standard
/// decoders.register(MessagePackDecoder(), for: "application/msgpack")
/// ```
/// A decoder is looked up by the media type, then by its structured suffix (`+json`), then by its type with
/// a star (`text/*`). A decoder may read the parameters of the content type, such as a charset.
public struct BodyDecoders: Sendable {
  private var decoders: [String: any BodyDecoder] = [:]

  /// Decodes bodies without a content type; nil refuses them. With ``readsUnknownTypes`` it decodes bodies
  /// of unregistered types as well.
  ///
  /// The default is nil in an empty registry, and JSON in ``standard``.
  public var fallback: (any BodyDecoder)?

  /// Whether ``fallback`` also decodes bodies whose content type has no decoder. The default is false, so
  /// that the HTML page of a proxy is reported as such, and not as malformed JSON.
  public var readsUnknownTypes = false

  /// No decoders.
  public init() {}

  /// JSON (`application/json`, `+json`, `text/json`, and `text/plain`, which many services send for JSON) and forms
  /// (`application/x-www-form-urlencoded`); without a content type, JSON.
  ///
  /// `registerXML()` and `registerPropertyLists()` of the product `APIKitXML` add those formats.
  public static let standard: BodyDecoders = {
    var decoders = BodyDecoders()
    decoders.fallback = JSONBodyDecoder()
    for type in ["application/json", "+json", "text/json", "text/plain"] {
      decoders.register(JSONBodyDecoder(), for: type)
    }
    decoders.register(FormBodyDecoder(), for: "application/x-www-form-urlencoded")
    return decoders
  }()

  /// Registers a decoder for a type, in place of an earlier one.
  ///
  /// The type is a media type, a structured suffix (`+json`), or one with a star (`text/*`). Case is
  /// ignored.
  public mutating func register(_ decoder: any BodyDecoder, for type: String) {
    decoders[Self.mediaType(type)] = decoder
  }

  /// Removes the decoder of a type, so that its bodies are refused.
  public mutating func remove(_ type: String) { decoders[Self.mediaType(type)] = nil }

  /// The decoder for the value of a `Content-Type` header field; nil when such bodies are refused.
  public func decoder(for contentType: String?) -> (any BodyDecoder)? {
    let type = contentType.map(Self.mediaType) ?? ""
    if type.isEmpty { return fallback }
    if let decoder = decoders[type] { return decoder }
    if let plus = type.lastIndex(of: "+"), let decoder = decoders[String(type[plus...])] { return decoder }
    if let slash = type.firstIndex(of: "/"), let decoder = decoders[type[...slash] + "*"] { return decoder }
    return readsUnknownTypes ? fallback : nil
  }

  /// Decodes a body by its content type.
  ///
  /// - Throws: ``APIError/Reason/unacceptableContentType`` when no decoder is registered for it, or what
  ///   the decoder throws.
  public func decode(
    _ bytes: [UInt8], contentType: String?, limits: RawData.Limits = .default
  ) throws(APIError) -> RawData {
    guard let decoder = decoder(for: contentType) else { throw Self.noDecoder(for: contentType) }
    return try decoder.decode(bytes, contentType: contentType, limits: limits)
  }

  /// That bodies of a content type are refused, and which product has a decoder for them.
  static func noDecoder(for contentType: String?) -> APIError {
    let type = contentType.map(mediaType) ?? ""
    let product =
      type.hasPrefix("image/")
      ? "APIKitImages" : type.hasSuffix("xml") || type.hasSuffix("plist") ? "APIKitXML" : nil
    return APIError(
      .response, .unacceptableContentType,
      "no decoder reads \(type.isEmpty ? "a body without a content type" : type); register one with the service's decoders"
        + "\(product.map { " (\($0) has it)" } ?? ""), or expect .bytes")
  }

  /// The media type without parameters and spaces, in lower case.
  package static func mediaType(_ type: String) -> String {
    // Most servers send it in this form already.
    if type.utf8.allSatisfy({
      $0 > 0x20 && $0 < 0x80 && $0 != UInt8(ascii: ";") && !(0x41...0x5A).contains($0)
    }) {
      return type
    }
    let essence = type.utf8.prefix { $0 != UInt8(ascii: ";") }.filter { $0 != 0x20 && $0 != 0x09 }
    return String(decoding: essence, as: UTF8.self).lowercased()
  }
}
