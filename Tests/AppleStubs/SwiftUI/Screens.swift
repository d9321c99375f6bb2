// swift-format-ignore-file
// https://developer.apple.com/documentation/swiftui/app
public import CoreGraphics

@available(macOS 11, iOS 14, tvOS 14, watchOS 7, *)
@MainActor @preconcurrency public protocol App {
  associatedtype Body: Scene
  @SceneBuilder @MainActor @preconcurrency var body: Body { get }
  @MainActor @preconcurrency init()
}
/// https://developer.apple.com/documentation/swiftui/scene
@available(macOS 11, iOS 14, tvOS 14, watchOS 7, *)
@MainActor @preconcurrency public protocol Scene {
  associatedtype Body: Scene
  @SceneBuilder @MainActor @preconcurrency var body: Body { get }
}
@available(macOS 11, iOS 14, tvOS 14, watchOS 7, *)
extension Never: Scene {}
/// https://developer.apple.com/documentation/swiftui/scenebuilder
@available(macOS 11, iOS 14, tvOS 14, watchOS 7, *)
@resultBuilder public struct SceneBuilder {
  public static func buildExpression<Content: Scene>(_ content: Content) -> Content { fatalError() }
  public static func buildBlock<Content: Scene>(_ content: Content) -> Content { fatalError() }
}
/// https://developer.apple.com/documentation/swiftui/windowgroup/init(content:)
@available(macOS 11, iOS 14, tvOS 14, watchOS 7, *)
public struct WindowGroup<Content: View>: Scene {
  nonisolated public init(@ViewBuilder content: () -> Content) { fatalError() }
  public var body: Never { fatalError() }
}
/// https://developer.apple.com/documentation/swiftui/backgroundtask
@available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
public struct BackgroundTask<Request, Response> {}
@available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
extension BackgroundTask where Request == Void, Response == Void {
  /// https://developer.apple.com/documentation/swiftui/backgroundtask/urlsession(_:)
  public static func urlSession(_ identifier: String) -> BackgroundTask<Void, Void> { fatalError() }
}
@available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
extension Scene {
  /// https://developer.apple.com/documentation/swiftui/scene/backgroundtask(_:action:)
  nonisolated public func backgroundTask<D: Sendable, R: Sendable>(
    _ task: BackgroundTask<D, R>, action: @escaping @Sendable (D) async -> R
  ) -> some Scene { WindowGroup { EmptyView() } }
}
/// https://developer.apple.com/documentation/swiftui/state
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
@propertyWrapper public struct State<Value> {
  public init(wrappedValue value: Value) { fatalError() }
  public init(initialValue value: Value) { fatalError() }
  public var wrappedValue: Value { get { fatalError() } nonmutating set { fatalError() } }
  public var projectedValue: Binding<Value> { fatalError() }
}
/// https://developer.apple.com/documentation/swiftui/binding
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
@propertyWrapper public struct Binding<Value> {
  public init(get: @escaping () -> Value, set: @escaping (Value) -> Void) { fatalError() }
  public var wrappedValue: Value { get { fatalError() } nonmutating set { fatalError() } }
}
/// https://developer.apple.com/documentation/swiftui/previewprovider
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
@MainActor @preconcurrency public protocol PreviewProvider {
  associatedtype Previews: View
  @ViewBuilder @MainActor @preconcurrency static var previews: Previews { get }
}
/// https://developer.apple.com/documentation/swiftui/tupleview
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
public struct TupleView<T>: View { public var body: Never { fatalError() } }
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
extension ViewBuilder {
  /// https://developer.apple.com/documentation/swiftui/viewbuilder
  public static func buildBlock<each Content>(_ content: repeat each Content) -> TupleView<(repeat each Content)> where repeat each Content: View { fatalError() }
  public static func buildIf<Content: View>(_ content: Content?) -> Content? { fatalError() }
}
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
extension Optional: View where Wrapped: View { public var body: Never { fatalError() } }
/// https://developer.apple.com/documentation/swiftui/list/init(content:)
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
public struct List<SelectionValue: Hashable, Content: View>: View {
  public var body: Never { fatalError() }
}
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
extension List where SelectionValue == Never {
  nonisolated public init(@ViewBuilder content: () -> Content) { fatalError() }
}
/// https://developer.apple.com/documentation/swiftui/foreach
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
public struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content> {}
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
extension ForEach where ID == Data.Element.ID, Content: View, Data.Element: Identifiable {
  public init(_ data: Data, @ViewBuilder content: @escaping (Data.Element) -> Content) { fatalError() }
}
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
extension ForEach: View where Content: View { public var body: Never { fatalError() } }
/// https://developer.apple.com/documentation/swiftui/hstack
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
public struct HStack<Content: View>: View {
  public init(alignment: VerticalAlignment = .center, spacing: CGFloat? = nil, @ViewBuilder content: () -> Content) { fatalError() }
  public var body: Never { fatalError() }
}
/// https://developer.apple.com/documentation/swiftui/verticalalignment
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
public struct VerticalAlignment: Equatable, Sendable { public static let center = VerticalAlignment() }
/// https://developer.apple.com/documentation/swiftui/progressview/init()
@available(macOS 11, iOS 14, tvOS 14, watchOS 7, *)
public struct ProgressView: View {
  public init() { fatalError() }
  public var body: Never { fatalError() }
}
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
extension Button where Label == Text {
  /// https://developer.apple.com/documentation/swiftui/button/init(_:action:)
  public init(_ titleKey: String, action: @escaping @MainActor () -> Void) { fatalError() }
}
extension View {
  /// https://developer.apple.com/documentation/swiftui/view/overlay(alignment:content:)
  @available(macOS 12, iOS 15, tvOS 15, watchOS 8, *)
  nonisolated public func overlay<V: View>(alignment: Alignment = .center, @ViewBuilder content: () -> V) -> some View { Color.gray }
  /// https://developer.apple.com/documentation/swiftui/view/searchable(text:placement:prompt:)
  @available(macOS 12, iOS 15, tvOS 15, watchOS 8, *)
  nonisolated public func searchable(text: Binding<String>) -> some View { Color.gray }
  /// https://developer.apple.com/documentation/swiftui/view/refreshable(action:)
  @available(macOS 12, iOS 15, tvOS 15, watchOS 8, *)
  nonisolated public func refreshable(action: @escaping @Sendable () async -> Void) -> some View { Color.gray }
}
