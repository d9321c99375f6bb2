/// A decoder with the responses that it takes, for ``ResponseExpectation/Format/firstOf(_:)``.
///
/// ```swift
/// let expectation = ResponseExpectation(
///   statuses: 200..<500,
///   format: .firstOf([
///     BodyChoice(XMLBodyDecoder(), contentTypes: ["application/xml", "text/xml"]),
///     BodyChoice(JSONBodyDecoder(), statuses: 200..<300),
///     BodyChoice(TextBodyDecoder(), contentTypes: ["text/*"], statuses: 400..<500),
///   ]))
/// ```
/// They are asked in order. One that takes the response and throws ``APIError/Reason/malformedBody`` leaves it to the
/// next; the error of the last one ends the load. A response that none takes is refused with
/// ``APIError/Reason/unacceptableContentType``.
public struct BodyChoice: Sendable {
  /// The decoder.
  public var decoder: any BodyDecoder
  /// The media types that it takes, in lower case: `application/json`, `text/*`. Empty, the default, takes all.
  public var contentTypes: Set<String>
  /// The statuses that it takes, of those that the manager accepts. The default is all.
  public var statuses: Range<Int>

  /// Makes a choice.
  ///
  /// - Parameters:
  ///   - decoder: Decodes the body.
  ///   - contentTypes: The media types that it takes; empty takes all.
  ///   - statuses: The statuses that it takes.
  public init(_ decoder: any BodyDecoder, contentTypes: Set<String> = [], statuses: Range<Int> = 100..<1000) {
    self.decoder = decoder
    self.contentTypes = contentTypes
    self.statuses = statuses
  }

  func takes(_ response: HTTPResponse) -> Bool {
    statuses.contains(response.status) && (contentTypes.isEmpty || response.hasMediaType(in: contentTypes))
  }
}

extension [BodyChoice] {
  /// Decodes by the first that takes the response and can read it.
  func decode(_ response: HTTPResponse) throws(APIError) -> RawData {
    var failure: APIError?
    for choice in self where choice.takes(response) {
      do throws(APIError) {
        return try choice.decoder.decode(
          response.bytes, contentType: response.headers["Content-Type"], limits: .default)
      } catch {
        guard error.reason == .malformedBody else { throw error }
        failure = error
      }
    }
    throw failure
      ?? APIError(
        .response, .unacceptableContentType,
        "none of \(count) decoders takes status \(response.status) with \(response.mediaType ?? "no content type")",
        evidence: response.evidence)
  }
}
