// swift-format-ignore-file
// The interface of the module SwiftUI, https://developer.apple.com/documentation/swiftui/view
public import CoreGraphics

@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
@MainActor @preconcurrency public protocol View {
  associatedtype Body: View
  @ViewBuilder @MainActor @preconcurrency var body: Body { get }
}
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
extension Never: View { public var body: Never { fatalError() } }

/// https://developer.apple.com/documentation/swiftui/viewbuilder
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
@resultBuilder public struct ViewBuilder {
  public static func buildBlock() -> EmptyView { fatalError() }
  public static func buildBlock<Content: View>(_ content: Content) -> Content { fatalError() }
  public static func buildBlock<each Content: View>(_ content: repeat each Content) -> TupleView<(repeat each Content)> { fatalError() }
  public static func buildIf<Content: View>(_ content: Content?) -> Content? { fatalError() }
  public static func buildExpression<Content: View>(_ content: Content) -> Content { fatalError() }
  public static func buildEither<T: View, F: View>(first: T) -> ConditionalContent<T, F> { fatalError() }
  public static func buildEither<T: View, F: View>(second: F) -> ConditionalContent<T, F> { fatalError() }
}
/// https://developer.apple.com/documentation/swiftui/emptyview
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
public struct EmptyView: View { nonisolated public init() {}; public var body: Never { fatalError() } }
/// `_ConditionalContent` there: https://developer.apple.com/documentation/swiftui/viewbuilder/buildeither(first:)
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
public struct ConditionalContent<T: View, F: View>: View { public var body: Never { fatalError() } }

/// https://developer.apple.com/documentation/swiftui/tupleview
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
public struct TupleView<T>: View { public var body: Never { fatalError() } }
/// https://developer.apple.com/documentation/swiftui/viewbuilder/buildif(_:)
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
extension Optional: View where Wrapped: View { public var body: Never { fatalError() } }

/// https://developer.apple.com/documentation/swiftui/color
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
public struct Color: View, Hashable, Sendable {
  public static let gray = Color()
  public func opacity(_ opacity: Double) -> Color { fatalError() }
  public var body: Never { fatalError() }
}
/// https://developer.apple.com/documentation/swiftui/text/init(verbatim:)
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
public struct Text: View, Equatable, Sendable {
  public init(verbatim content: String) { fatalError() }
  public var body: Never { fatalError() }
}
/// https://developer.apple.com/documentation/swiftui/image
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
public struct Image: View, Equatable, Sendable {
  @frozen public enum Orientation: UInt8, Sendable { case up }
  public enum ResizingMode: Sendable { case tile, stretch }
  @available(macOS 11, iOS 13, tvOS 13, watchOS 6, *) public init(systemName: String) { fatalError() }
  public init(_ cgImage: CGImage, scale: CGFloat, orientation: Image.Orientation = .up, label: Text) { fatalError() }
  public func resizable(capInsets: EdgeInsets = EdgeInsets(), resizingMode: Image.ResizingMode = .stretch) -> Image { fatalError() }
  public var body: Never { fatalError() }
}
/// https://developer.apple.com/documentation/swiftui/edgeinsets
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
public struct EdgeInsets: Equatable, Sendable { public init() {} }
/// https://developer.apple.com/documentation/swiftui/rectangle
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
public struct Rectangle: Shape { public init() {}; public var body: Never { fatalError() } }
/// https://developer.apple.com/documentation/swiftui/shape
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
public protocol Shape: View, Sendable {}
/// https://developer.apple.com/documentation/swiftui/geometryreader
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
public struct GeometryReader<Content: View>: View {
  public init(@ViewBuilder content: @escaping (GeometryProxy) -> Content) { fatalError() }
  public var body: Never { fatalError() }
}
/// https://developer.apple.com/documentation/swiftui/geometryproxy
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
public struct GeometryProxy { public var size: CGSize { fatalError() } }
/// https://developer.apple.com/documentation/swiftui/button
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
public struct Button<Label: View>: View {
  public init(action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> Label) { fatalError() }
  public var body: Never { fatalError() }
}
/// https://developer.apple.com/documentation/swiftui/primitivebuttonstyle/plain
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
public protocol PrimitiveButtonStyle {}
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
public struct PlainButtonStyle: PrimitiveButtonStyle { public init() {} }
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
extension PrimitiveButtonStyle where Self == PlainButtonStyle { public static var plain: PlainButtonStyle { fatalError() } }
/// https://developer.apple.com/documentation/swiftui/contentmode
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
@frozen public enum ContentMode: Hashable, CaseIterable, Sendable { case fit, fill }
/// https://developer.apple.com/documentation/swiftui/alignment
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
public struct Alignment: Equatable, Sendable { public static let center = Alignment() }
