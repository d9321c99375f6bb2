/// The responses that an API accepts. They are checked in this order: status, empty body, content
/// type, shape.
public struct ResponseExpectation: Sendable {
  /// The accepted status codes. The default is 200 to 299.
  public var statuses: Range<Int>
  /// The accepted media types, in lower case: `application/json`, `text/*`. The default, empty, accepts
  /// all. An empty body is not checked.
  public var contentTypes: Set<String>
  /// Whether a response must have a body. The default, false, accepts a 204, a HEAD and an empty 200.
  public var requiresBody: Bool
  /// How the body is decoded. The default is by its content type.
  public var format: Format
  /// The required key paths with their kinds. The default requires none.
  public var shape: ResponseShape

  /// Makes an expectation.
  public init(
    statuses: Range<Int> = 200..<300, contentTypes: Set<String> = [], requiresBody: Bool = false,
    format: Format = .automatic, shape: ResponseShape = ResponseShape()
  ) {
    self.statuses = statuses
    self.contentTypes = contentTypes
    self.requiresBody = requiresBody
    self.format = format
    self.shape = shape
  }

  /// How a body is decoded.
  public enum Format: Sendable {
    /// By the content type, with the service's decoders (``WireOptions/decoders``).
    case automatic
    /// With one decoder, whatever the content type is.
    case decoder(any BodyDecoder)
    /// By the first of these choices that accepts the status and the content type; if the body is not in that
    /// format, by the next one.
    case firstOf([BodyChoice])
    /// Not decoded: only the bytes are used. With a ``ResponseExpectation/shape`` besides, a load fails with
    /// ``APIError/Reason/misconfigured`` before it is sent.
    case bytes
  }

  /// The raw data of a deciphered body; missing where it is empty or only its bytes are wanted.
  ///
  /// - Parameter decoders: Those of the service, for the format ``Format/automatic``.
  package func decode(_ http: HTTPResponse, by decoders: BodyDecoders) throws(APIError) -> RawData {
    let (bytes, contentType) = (http.bytes, http.headers["Content-Type"])
    guard !bytes.isEmpty else { return .missing }
    switch format {
    case .bytes: return .missing
    case .firstOf(let choices): return try choices.decode(http)
    case .decoder(let decoder): return try decoder.decode(bytes, contentType: contentType, limits: .default)
    case .automatic: return try decoders.decode(bytes, contentType: contentType)
    }
  }

  /// Throws ``APIError/Reason/misconfigured`` for a shape that nothing could be compared with.
  func validate() throws(APIError) {
    guard case .bytes = format, !shape.paths.isEmpty else { return }
    throw APIError(
      .assembly, .misconfigured, "a shape is that of a decoded body, and the format .bytes decodes none")
  }
}
