// swift-format-ignore-file
// https://developer.apple.com/documentation/swiftui/app
@available(macOS 11, iOS 14, tvOS 14, watchOS 7, *)
@MainActor @preconcurrency public protocol App {
  associatedtype Body: Scene
  @SceneBuilder @MainActor @preconcurrency var body: Body { get }
  @MainActor @preconcurrency init()
}
@available(macOS 11, iOS 14, tvOS 14, watchOS 7, *)
extension App { @MainActor @preconcurrency public static func main() { fatalError() } }
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
  public static func buildBlock<Content: Scene>(_ content: Content) -> Content { fatalError() }
}
/// https://developer.apple.com/documentation/swiftui/windowgroup/init(content:)
@available(macOS 11, iOS 14, tvOS 14, watchOS 7, *)
public struct WindowGroup<Content: View>: Scene {
  nonisolated public init(@ViewBuilder content: () -> Content) { fatalError() }
  public var body: Never { fatalError() }
}
