// swift-format-ignore-file
// https://developer.apple.com/documentation/swiftui/layout-containers
public import CoreGraphics

/// https://developer.apple.com/documentation/swiftui/hstack
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
public struct HStack<Content: View>: View {
  public init(alignment: VerticalAlignment = .center, spacing: CGFloat? = nil, @ViewBuilder content: () -> Content) { fatalError() }
  public var body: Never { fatalError() }
}
/// https://developer.apple.com/documentation/swiftui/vstack
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
public struct VStack<Content: View>: View {
  public init(alignment: HorizontalAlignment = .center, spacing: CGFloat? = nil, @ViewBuilder content: () -> Content) { fatalError() }
  public var body: Never { fatalError() }
}
/// https://developer.apple.com/documentation/swiftui/verticalalignment
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
public struct VerticalAlignment: Equatable, Sendable { public static let center = VerticalAlignment() }
/// https://developer.apple.com/documentation/swiftui/horizontalalignment
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
public struct HorizontalAlignment: Equatable, Sendable {
  public static let leading = HorizontalAlignment()
  public static let center = HorizontalAlignment()
}
/// https://developer.apple.com/documentation/swiftui/spacer
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
public struct Spacer: View {
  public init(minLength: CGFloat? = nil) { fatalError() }
  public var body: Never { fatalError() }
}
/// https://developer.apple.com/documentation/swiftui/list/init(content:)
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
public struct List<SelectionValue: Hashable, Content: View>: View { public var body: Never { fatalError() } }
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
extension List where SelectionValue == Never {
  nonisolated public init(@ViewBuilder content: () -> Content) { fatalError() }
}
/// https://developer.apple.com/documentation/swiftui/foreach
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
public struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content> {}
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
extension ForEach: View where Content: View { public var body: Never { fatalError() } }
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
extension ForEach where ID == Data.Element.ID, Content: View, Data.Element: Identifiable {
  nonisolated public init(_ data: Data, @ViewBuilder content: @escaping (Data.Element) -> Content) { fatalError() }
}
/// https://developer.apple.com/documentation/swiftui/form
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
public struct Form<Content: View>: View {
  nonisolated public init(@ViewBuilder content: () -> Content) { fatalError() }
  public var body: Never { fatalError() }
}
/// https://developer.apple.com/documentation/swiftui/section/init(_:content:)
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
public struct Section<Parent, Content, Footer> {}
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
extension Section: View where Parent: View, Content: View, Footer: View { public var body: Never { fatalError() } }
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
extension Section where Parent == Text, Content: View, Footer == EmptyView {
  @available(macOS 12, iOS 15, tvOS 15, watchOS 8, *)
  nonisolated public init(_ titleKey: LocalizedStringKey, @ViewBuilder content: () -> Content) { fatalError() }
}
/// https://developer.apple.com/documentation/swiftui/navigationstack/init(root:)
@available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
public struct NavigationStack<Data, Root: View>: View { public var body: Never { fatalError() } }
@available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
extension NavigationStack where Data == NavigationPath {
  nonisolated public init(@ViewBuilder root: () -> Root) { fatalError() }
}
/// https://developer.apple.com/documentation/swiftui/navigationpath
@available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
public struct NavigationPath {}
/// https://developer.apple.com/documentation/swiftui/navigationlink/init(value:label:)
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
public struct NavigationLink<Label: View, Destination: View>: View { public var body: Never { fatalError() } }
@available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
extension NavigationLink where Destination == Never {
  nonisolated public init<P: Hashable>(value: P?, @ViewBuilder label: () -> Label) { fatalError() }
}
