// swift-format-ignore-file
// https://developer.apple.com/documentation/swiftui/view-fundamentals
public import CoreGraphics

@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
extension View {
  /// https://developer.apple.com/documentation/swiftui/view/frame(minwidth:idealwidth:maxwidth:minheight:idealheight:maxheight:alignment:)
  nonisolated public func frame(
    minWidth: CGFloat? = nil, idealWidth: CGFloat? = nil, maxWidth: CGFloat? = nil, minHeight: CGFloat? = nil,
    idealHeight: CGFloat? = nil, maxHeight: CGFloat? = nil, alignment: Alignment = .center
  ) -> some View { Color.gray }
  /// https://developer.apple.com/documentation/swiftui/view/clipshape(_:style:)
  nonisolated public func clipShape<S: Shape>(_ shape: S, style: FillStyle = FillStyle()) -> some View { Color.gray }
  /// https://developer.apple.com/documentation/swiftui/view/font(_:)
  nonisolated public func font(_ font: Font?) -> some View { Color.gray }
  /// https://developer.apple.com/documentation/swiftui/view/foregroundstyle(_:)
  @available(macOS 12, iOS 15, tvOS 15, watchOS 8, *)
  nonisolated public func foregroundStyle<S: ShapeStyle>(_ style: S) -> some View { Color.gray }
  /// https://developer.apple.com/documentation/swiftui/view/disabled(_:)
  nonisolated public func disabled(_ disabled: Bool) -> some View { Color.gray }
  /// https://developer.apple.com/documentation/swiftui/view/onappear(perform:)
  nonisolated public func onAppear(perform action: (() -> Void)? = nil) -> some View { Color.gray }
  /// https://developer.apple.com/documentation/swiftui/view/task(priority:_:)
  @available(macOS 12, iOS 15, tvOS 15, watchOS 8, *)
  nonisolated public func task(
    priority: TaskPriority = .userInitiated, @_inheritActorContext _ action: @escaping @Sendable () async -> Void
  ) -> some View { Color.gray }
  /// https://developer.apple.com/documentation/swiftui/view/refreshable(action:)
  @available(macOS 12, iOS 15, tvOS 15, watchOS 8, *)
  nonisolated public func refreshable(action: @escaping @Sendable () async -> Void) -> some View { Color.gray }
  /// https://developer.apple.com/documentation/swiftui/view/overlay(alignment:content:)
  @available(macOS 12, iOS 15, tvOS 15, watchOS 8, *)
  nonisolated public func overlay<V: View>(alignment: Alignment = .center, @ViewBuilder content: () -> V) -> some View { Color.gray }
  /// https://developer.apple.com/documentation/swiftui/view/sheet(ispresented:ondismiss:content:)
  nonisolated public func sheet<Content: View>(
    isPresented: Binding<Bool>, onDismiss: (() -> Void)? = nil, @ViewBuilder content: @escaping () -> Content
  ) -> some View { Color.gray }
  /// https://developer.apple.com/documentation/swiftui/view/searchable(text:placement:prompt:)
  @available(macOS 12, iOS 15, tvOS 15, watchOS 8, *)
  nonisolated public func searchable(
    text: Binding<String>, placement: SearchFieldPlacement = .automatic, prompt: LocalizedStringKey
  ) -> some View { Color.gray }
  @available(macOS 12, iOS 15, tvOS 15, watchOS 8, *)
  nonisolated public func searchable(
    text: Binding<String>, placement: SearchFieldPlacement = .automatic, prompt: Text? = nil
  ) -> some View { Color.gray }
  /// https://developer.apple.com/documentation/swiftui/view/toolbar(content:)
  @available(macOS 11, iOS 14, tvOS 14, watchOS 7, *)
  nonisolated public func toolbar<Content: View>(@ViewBuilder content: () -> Content) -> some View { Color.gray }
  /// https://developer.apple.com/documentation/swiftui/view/navigationtitle(_:)
  @available(macOS 11, iOS 14, tvOS 14, watchOS 7, *)
  nonisolated public func navigationTitle(_ titleKey: LocalizedStringKey) -> some View { Color.gray }
  @available(macOS 11, iOS 14, tvOS 14, watchOS 7, *)
  @_disfavoredOverload nonisolated public func navigationTitle<S: StringProtocol>(_ title: S) -> some View { Color.gray }
  /// https://developer.apple.com/documentation/swiftui/view/navigationdestination(for:destination:)
  @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
  nonisolated public func navigationDestination<D: Hashable, C: View>(
    for data: D.Type, @ViewBuilder destination: @escaping (D) -> C
  ) -> some View { Color.gray }
  /// https://developer.apple.com/documentation/swiftui/view/formstyle(_:)
  @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
  nonisolated public func formStyle<S: FormStyle>(_ style: S) -> some View { Color.gray }
}
/// https://developer.apple.com/documentation/swiftui/searchfieldplacement
@available(macOS 12, iOS 15, tvOS 15, watchOS 8, *)
public struct SearchFieldPlacement: Sendable { public static let automatic = SearchFieldPlacement() }
