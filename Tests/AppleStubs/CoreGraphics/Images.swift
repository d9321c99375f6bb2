// swift-format-ignore-file
// CoreGraphics/CGImage.h, https://developer.apple.com/documentation/coregraphics/cgimage
public final class CGImage {
  public var width: Int { fatalError() }
  public var height: Int { fatalError() }
}
