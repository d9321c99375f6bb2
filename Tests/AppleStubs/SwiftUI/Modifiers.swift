// swift-format-ignore-file
// https://developer.apple.com/documentation/swiftui/view-modifiers
public import CoreGraphics

extension View {
  /// https://developer.apple.com/documentation/swiftui/view/frame(width:height:alignment:)
  nonisolated public func frame(width: CGFloat? = nil, height: CGFloat? = nil, alignment: Alignment = .center) -> some View { Color.gray }
  /// https://developer.apple.com/documentation/swiftui/view/clipped(antialiased:)
  nonisolated public func clipped(antialiased: Bool = false) -> some View { Color.gray }
  /// https://developer.apple.com/documentation/swiftui/view/contentshape(_:eofill:)
  nonisolated public func contentShape<S: Shape>(_ shape: S, eoFill: Bool = false) -> some View { Color.gray }
  /// https://developer.apple.com/documentation/swiftui/view/aspectratio(_:contentmode:)
  nonisolated public func aspectRatio(_ aspectRatio: CGFloat? = nil, contentMode: ContentMode) -> some View { Color.gray }
  /// https://developer.apple.com/documentation/swiftui/view/buttonstyle(_:)
  nonisolated public func buttonStyle<S: PrimitiveButtonStyle>(_ style: S) -> some View { Color.gray }
  /// https://developer.apple.com/documentation/swiftui/view/ondisappear(perform:)
  nonisolated public func onDisappear(perform action: (() -> Void)? = nil) -> some View { Color.gray }
  /// https://developer.apple.com/documentation/swiftui/view/task(id:priority:_:)
  nonisolated public func task<T: Equatable>(
    id value: T, priority: TaskPriority = .userInitiated, @_inheritActorContext _ action: @escaping @Sendable () async -> Void
  ) -> some View { Color.gray }
}
