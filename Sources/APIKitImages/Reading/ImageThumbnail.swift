public import APIKit

#if canImport(ImageIO)
  public import CoreGraphics
#endif

/// A small picture of an image, made by ImageIO at the wanted size. Apple systems only.
///
/// ```swift
/// let thumbnail = try await ImageThumbnail(of: response.http.bytes, longestSide: 300)
/// view.image = UIImage(cgImage: thumbnail.image)
/// ```
/// ImageIO decodes no more than the size asks for, so that a photograph of 50 million pixels takes the memory of its
/// thumbnail. On other systems making one throws `APIError.Reason.unsupportedCapability`, after the same checks.
///
/// Never on the main actor: making one is `async` and runs on the concurrent executor.
public struct ImageThumbnail: @unchecked Sendable {  // An image of Core Graphics never changes.
  /// The size of the thumbnail in pixels, turned for display.
  public let size: ImageHead.Size
  #if canImport(ImageIO)
    /// The picture, decoded.
    public let image: CGImage
  #endif

  /// Makes a thumbnail.
  ///
  /// - Parameters:
  ///   - bytes: The image.
  ///   - longestSide: The longer side of the thumbnail in pixels, 1 to 16,384. A smaller image keeps its size.
  ///   - maximumPixels: The most pixels that the image itself may have, which is checked before anything decodes it. The
  ///     default is 100 million, as for ``ImageBodyDecoder``.
  /// - Throws: `APIError.Reason.bodyLimitExceeded` for an image with more pixels, `APIError.Reason.malformedBody` for
  ///   bytes that are not an image or do not contain its size, `APIError.Reason.misconfigured` for another side, and
  ///   `APIError.Reason.unsupportedCapability` where there is no ImageIO.
  public init(
    of bytes: [UInt8], longestSide: Int, maximumPixels: Int = 100_000_000
  ) async throws(APIError) {
    guard (1...16_384).contains(longestSide) else {
      throw APIError(
        .response, .misconfigured,
        "the longest side of a thumbnail has 1 to 16,384 pixels, not \(longestSide)")
    }
    guard let head = ImageHead(of: bytes) else {
      throw APIError(.response, .malformedBody, "the bytes are no image of a known format")
    }
    try head.check(maximumPixels)
    #if canImport(ImageIO)
      image = try Self.draw(bytes, head, longestSide: longestSide, maximumPixels: maximumPixels)
      size = ImageHead.Size(width: image.width, height: image.height)
    #else
      throw APIError(
        .response, .unsupportedCapability, "thumbnails are made by ImageIO, which only Apple systems have")
    #endif
  }
}

extension ImageHead {
  /// Throws when the image is known to have more pixels.
  func check(_ maximumPixels: Int) throws(APIError) {
    guard let size = uncropped ?? size, let pixels = pixelCount, pixels > maximumPixels else { return }
    throw APIError(
      .response, .bodyLimitExceeded, "the image has \(size) pixels, the limit is \(maximumPixels) in all")
  }
}
