// swift-format-ignore-file
// https://developer.apple.com/documentation/swiftui/text
public import Foundation

@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
extension Text {
  public init(_ key: LocalizedStringKey, tableName: String? = nil, bundle: Bundle? = nil, comment: StaticString? = nil) { fatalError() }
  @_disfavoredOverload public init<S: StringProtocol>(_ content: S) { fatalError() }
  /// https://developer.apple.com/documentation/swiftui/text/init(_:format:)
  @available(macOS 12, iOS 15, tvOS 15, watchOS 8, *)
  public init<F: FormatStyle>(_ input: F.FormatInput, format: F) where F.FormatInput: Equatable, F.FormatOutput == String { fatalError() }
}
/// https://developer.apple.com/documentation/swiftui/localizedstringkey
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
public struct LocalizedStringKey: Equatable, ExpressibleByStringInterpolation {
  public init(stringLiteral value: String) { fatalError() }
}
/// https://developer.apple.com/documentation/swiftui/label
@available(macOS 11, iOS 14, tvOS 14, watchOS 7, *)
public struct Label<Title: View, Icon: View>: View { public var body: Never { fatalError() } }
/// https://developer.apple.com/documentation/swiftui/label/init(_:systemimage:)
@available(macOS 11, iOS 14, tvOS 14, watchOS 7, *)
extension Label where Title == Text, Icon == Image {
  nonisolated public init(_ titleKey: LocalizedStringKey, systemImage name: String) { fatalError() }
}
/// https://developer.apple.com/documentation/swiftui/labeledcontent
@available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
public struct LabeledContent<Label: View, Content: View>: View { public var body: Never { fatalError() } }
@available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
extension LabeledContent where Label == Text {
  nonisolated public init(_ titleKey: LocalizedStringKey, @ViewBuilder content: () -> Content) { fatalError() }
}
@available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
extension LabeledContent where Label == Text, Content == Text {
  nonisolated public init<S: StringProtocol>(_ titleKey: LocalizedStringKey, value: S) { fatalError() }
}
/// https://developer.apple.com/documentation/swiftui/contentunavailableview
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
public struct ContentUnavailableView<Label: View, Description: View, Actions: View>: View {
  nonisolated public init(
    @ViewBuilder label: () -> Label, @ViewBuilder description: () -> Description = { EmptyView() },
    @ViewBuilder actions: () -> Actions = { EmptyView() }
  ) { fatalError() }
  public var body: Never { fatalError() }
}
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
extension ContentUnavailableView where Label == SwiftUI.Label<Text, Image>, Description == Text?, Actions == EmptyView {
  nonisolated public init(_ title: LocalizedStringKey, systemImage name: String, description: Text? = nil) { fatalError() }
}
/// https://developer.apple.com/documentation/swiftui/font
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
public struct Font: Hashable, Sendable {
  public static let subheadline = Font()
}
