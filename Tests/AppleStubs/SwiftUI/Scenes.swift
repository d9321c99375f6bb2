// swift-format-ignore-file
// https://developer.apple.com/documentation/swiftui/backgroundtask

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
/// https://developer.apple.com/documentation/swiftui/previewprovider
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
@MainActor @preconcurrency public protocol PreviewProvider {
  associatedtype Previews: View
  @ViewBuilder @MainActor @preconcurrency static var previews: Previews { get }
}
