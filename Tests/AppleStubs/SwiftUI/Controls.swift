// swift-format-ignore-file
// https://developer.apple.com/documentation/swiftui/controls-and-indicators

/// https://developer.apple.com/documentation/swiftui/button
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
extension Button where Label == Text {
  nonisolated public init(_ titleKey: LocalizedStringKey, action: @escaping @MainActor () -> Void) { fatalError() }
  @available(macOS 12, iOS 15, tvOS 15, watchOS 8, *)
  nonisolated public init(_ titleKey: LocalizedStringKey, role: ButtonRole?, action: @escaping @MainActor () -> Void) { fatalError() }
}
/// https://developer.apple.com/documentation/swiftui/button/init(_:systemimage:action:)
@available(macOS 11, iOS 14, tvOS 14, watchOS 7, *)
extension Button where Label == SwiftUI.Label<Text, Image> {
  nonisolated public init(_ titleKey: LocalizedStringKey, systemImage: String, action: @escaping @MainActor () -> Void) { fatalError() }
}
/// https://developer.apple.com/documentation/swiftui/buttonrole
@available(macOS 12, iOS 15, tvOS 15, watchOS 8, *)
public struct ButtonRole: Equatable, Sendable {
  public static let destructive = ButtonRole()
  public static let cancel = ButtonRole()
}
/// https://developer.apple.com/documentation/swiftui/progressview
@available(macOS 11, iOS 14, tvOS 14, watchOS 7, *)
public struct ProgressView<Label: View, CurrentValueLabel: View>: View { public var body: Never { fatalError() } }
@available(macOS 11, iOS 14, tvOS 14, watchOS 7, *)
extension ProgressView where CurrentValueLabel == EmptyView, Label == EmptyView {
  nonisolated public init() { fatalError() }
  nonisolated public init<V: BinaryFloatingPoint>(value: V?, total: V = 1.0) { fatalError() }
}
/// https://developer.apple.com/documentation/swiftui/formstyle/grouped
@available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
@MainActor @preconcurrency public protocol FormStyle {}
@available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
public struct GroupedFormStyle: FormStyle {}
@available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
extension FormStyle where Self == GroupedFormStyle { public static var grouped: GroupedFormStyle { fatalError() } }
/// https://developer.apple.com/documentation/swiftui/textfield/init(_:text:)
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
public struct TextField<Label: View>: View { public var body: Never { fatalError() } }
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
extension TextField where Label == Text {
  nonisolated public init(_ titleKey: LocalizedStringKey, text: Binding<String>) { fatalError() }
}
