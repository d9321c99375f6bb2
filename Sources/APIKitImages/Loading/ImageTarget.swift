import APIKit

/// How large a view shows an image, in pixels.
struct ImageTarget: Hashable, Sendable {
  /// The width, a multiple of ``step``.
  let width: Int
  /// The height, a multiple of ``step``.
  let height: Int
  /// Whether the image covers this size; otherwise it fits into it.
  let fills: Bool

  /// Sizes are rounded up to multiples of it, so that views of nearly one size share one picture.
  static let step = 32
  /// The longest side that `ImageThumbnail` makes.
  private static let maximum = 16_384

  /// Nil for a size without an area: the view has none yet.
  ///
  /// - Parameter scale: How many pixels one unit of the size has.
  init?(width: Double, height: Double, scale: Double = 1, fills: Bool) {
    func rounded(_ length: Double) -> Int? {
      let pixels = length * scale
      guard pixels > 0, pixels.isFinite else { return nil }
      let steps = (min(pixels, Double(Self.maximum)) / Double(Self.step)).rounded(.up)
      return Int(steps) * Self.step
    }
    guard let width = rounded(width), let height = rounded(height) else { return nil }
    (self.width, self.height, self.fills) = (width, height, fills)
  }

  /// Whether a picture that was made for this size serves another one as well.
  func covers(_ other: ImageTarget) -> Bool {
    width >= other.width && height >= other.height && (fills || !other.fills)
  }

  /// The longer side of the picture to make of an image. It keeps the proportions of the image, and is never larger than
  /// that.
  func longestSide(of head: ImageHead?) -> Int {
    guard let size = head?.displaySize else {
      // One that fits has no longer side than the view; for one that fills, proportions up to 1 : 2 are foreseen.
      return min(max(width, height) * (fills ? 2 : 1), Self.maximum)
    }
    let ratios = (Double(width) / Double(size.width), Double(height) / Double(size.height))
    let ratio = min(fills ? max(ratios.0, ratios.1) : min(ratios.0, ratios.1), 1)
    let side = (Double(max(size.width, size.height)) * ratio).rounded(.up)
    return min(max(Int(side), 1), Self.maximum)
  }
}
