/// What counts as a good answer to one API; checked in order: status, content type, emptiness, shape.
public struct ResponseExpectation: Sendable {
  /// The status codes accepted. The default is 200 to 299.
  public var statuses: Range<Int>
  /// The media types accepted, lower case: `application/json`, `text/*`. The default, empty, takes any.
  public var contentTypes: Set<String>
  /// Whether an answer must have a body. The default is false: 204, HEAD and an empty 200 are good.
  public var requiresBody: Bool
  /// How the body is decoded. The default goes by the content type.
  public var format: Format
  /// Key paths that must be there, and of which kind. The default asks for nothing.
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

  /// How a body becomes raw data.
  public enum Format: Sendable {
    /// By the content type; a body without one is read as JSON.
    case automatic
    /// By one decoder, whatever the content type says.
    case decoder(any BodyDecoder)
    /// Not at all: only the bytes are of interest.
    case bytes
  }
}
