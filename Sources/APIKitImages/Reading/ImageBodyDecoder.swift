public import APIKit

/// Reads the head of an image, so that its kind and size are known and limited before anything decodes it.
///
/// The raw data is an object with the members `type` (`image/png`), `width` and `height` in pixels as stored, and
/// `orientation` (1 to 8). `type` is null for a format that is not known, `width` and `height` are null when the first
/// 64 KiB do not contain them. The image itself is `APIResponse.bytes`. See ``ImageHead``.
public struct ImageBodyDecoder: BodyDecoder {
  /// The most pixels beyond which to throw, before anything needs memory for them. The default is 100 million.
  public var maximumPixels: Int

  /// Makes a decoder.
  ///
  /// - Parameter maximumPixels: The most pixels beyond which to throw.
  public init(maximumPixels: Int = 100_000_000) { self.maximumPixels = maximumPixels }

  /// True.
  public var runsInline: Bool { true }

  /// Reads the head of an image. Throws `APIError.Reason.bodyLimitExceeded` for one with too many pixels.
  public func decode(_ bytes: [UInt8], limits: RawData.Limits = .default) throws(APIError) -> RawData {
    try limits.check(bytes)
    let head = ImageHead(of: bytes)
    try head?.check(maximumPixels)
    func text(_ number: Int?) -> String { number.map { String($0) } ?? "null" }
    let type = head.map { "\"\($0.format.rawValue)\"" } ?? "null"
    return try RawData(
      parsing:
        "{\"type\":\(type),\"width\":\(text(head?.size?.width)),\"height\":\(text(head?.size?.height)),"
        + "\"orientation\":\(text(head?.orientation))}")
  }
}

extension HTTPResponse {
  /// The head of the image, if the body is an image in memory; nil otherwise.
  public var imageHead: ImageHead? { ImageHead(of: bytes) }
}

extension ResponseExpectation {
  /// An image that ``ImageBodyDecoder`` reads, whatever its `Content-Type` says; of at most 100 million pixels.
  ///
  /// State it in the manager of an endpoint with images: `let expectation = ResponseExpectation.image`.
  public static let image = ResponseExpectation(requiresBody: true, format: .decoder(ImageBodyDecoder()))
}
