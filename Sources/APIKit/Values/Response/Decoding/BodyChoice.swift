/// A decoder with the responses that it accepts, for ``ResponseExpectation/Format/firstOf(_:)``.
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
/// The choices are tried in order. If one that accepts the response throws ``APIError/Reason/malformedBody``, the
/// next is tried; the error of the last one ends the load. A response that no choice accepts is refused with
/// ``APIError/Reason/unacceptableContentType``.
public struct BodyChoice: Sendable {
  /// The decoder.
  public var decoder: any BodyDecoder
  /// The media types that it accepts, in lower case: `application/json`, `text/*`. The default, empty,
  /// accepts all.
  public var contentTypes: Set<String>
  /// The statuses that it accepts, of those that the manager accepts. The default is all.
  public var statuses: Range<Int>

  /// Makes a choice.
  ///
  /// - Parameters:
  ///   - decoder: Decodes the body.
  ///   - contentTypes: The media types that it accepts; empty accepts all.
  ///   - statuses: The statuses that it accepts.
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
