// swift-format-ignore-file
// CoreGraphics/CGGeometry.h, https://developer.apple.com/documentation/corefoundation/cgfloat, which is a type of its own there and converts to and from
// Double by itself; cgpoint, cgsize and cgrect beside it.
public typealias CGFloat = Double
public struct CGPoint: Equatable, Sendable { public var x: CGFloat, y: CGFloat }
public struct CGSize: Equatable, Sendable {
  public var width: CGFloat, height: CGFloat
  public init(width: CGFloat, height: CGFloat) { fatalError() }
}
public struct CGRect: Equatable, Sendable {
  public var origin: CGPoint, size: CGSize
  public var width: CGFloat { fatalError() }
  public var height: CGFloat { fatalError() }
  public func contains(_ point: CGPoint) -> Bool { fatalError() }
}
