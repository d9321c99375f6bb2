#if canImport(ImageIO)
  import APIKit
  import CoreGraphics
  import Foundation
  import ImageIO

  extension ImageThumbnail {
    static func draw(
      _ bytes: [UInt8], _ head: ImageHead, longestSide: Int, maximumPixels: Int
    ) throws(APIError) -> CGImage {
      let options: [String: Any] = [kCGImageSourceShouldCache as String: false]
      guard let source = CGImageSourceCreateWithData(Data(bytes) as CFData, options as CFDictionary) else {
        throw APIError(.response, .malformedBody, "ImageIO reads no image in the bytes")
      }
      try check(source, head, maximumPixels: maximumPixels)
      let wanted: [String: Any] = [
        // Otherwise a small preview that the file carries would be taken, of any size and content.
        kCGImageSourceCreateThumbnailFromImageAlways as String: true,
        kCGImageSourceCreateThumbnailWithTransform as String: true,
        kCGImageSourceThumbnailMaxPixelSize as String: longestSide,
        // Decoded here, and not when it is first shown, on the main thread.
        kCGImageSourceShouldCacheImmediately as String: true,
      ]
      guard let image = CGImageSourceCreateThumbnailAtIndex(source, 0, wanted as CFDictionary) else {
        throw APIError(.response, .malformedBody, "ImageIO makes no thumbnail of the image")
      }
      return image
    }

    /// What ImageIO will decode must be within the limit, whatever the head said.
    private static func check(
      _ source: CGImageSource, _ head: ImageHead, maximumPixels: Int
    ) throws(APIError) {
      let properties = CGImageSourceCopyPropertiesAtIndex(source, 0, nil) as? [String: Any]
      guard let width = properties?[kCGImagePropertyPixelWidth as String] as? Int,
        let height = properties?[kCGImagePropertyPixelHeight as String] as? Int
      else { throw APIError(.response, .malformedBody, "the image does not tell its size") }
      var found = head
      (found.size, found.uncropped) = (ImageHead.Size(width: width, height: height), nil)
      try found.check(maximumPixels)
    }
  }
#endif
