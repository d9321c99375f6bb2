// swift-format-ignore-file
// https://developer.apple.com/documentation/swiftui/shapestyle
public import CoreGraphics

@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
public protocol ShapeStyle: Sendable {}
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
extension Color: ShapeStyle {}
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
extension ShapeStyle where Self == Color { public static var red: Color { fatalError() } }
/// https://developer.apple.com/documentation/swiftui/hierarchicalshapestyle
@available(macOS 12, iOS 15, tvOS 15, watchOS 8, *)
public struct HierarchicalShapeStyle: ShapeStyle {}
@available(macOS 12, iOS 15, tvOS 15, watchOS 8, *)
extension ShapeStyle where Self == HierarchicalShapeStyle { public static var secondary: HierarchicalShapeStyle { fatalError() } }
/// https://developer.apple.com/documentation/swiftui/roundedrectangle
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
public struct RoundedRectangle: Shape {
  public init(cornerRadius: CGFloat, style: RoundedCornerStyle = .continuous) { fatalError() }
  public var body: Never { fatalError() }
}
/// https://developer.apple.com/documentation/swiftui/roundedcornerstyle
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
public enum RoundedCornerStyle: Sendable { case circular, continuous }
/// https://developer.apple.com/documentation/swiftui/fillstyle
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
public struct FillStyle: Equatable, Sendable { public init(eoFill: Bool = false, antialiased: Bool = true) { fatalError() } }
