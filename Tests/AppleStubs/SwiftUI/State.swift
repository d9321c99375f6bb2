// swift-format-ignore-file
// The interface of the module SwiftUI, https://developer.apple.com/documentation/swiftui/stateobject
public import Combine
public import CoreGraphics

@available(macOS 11, iOS 14, tvOS 14, watchOS 7, *)
@MainActor @preconcurrency @propertyWrapper public struct StateObject<ObjectType: ObservableObject> {
  nonisolated public init(wrappedValue thunk: @autoclosure @escaping () -> ObjectType) {}
  public var wrappedValue: ObjectType { fatalError() }
}
/// https://developer.apple.com/documentation/swiftui/environment
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
@propertyWrapper public struct Environment<Value> {
  public init(_ keyPath: KeyPath<EnvironmentValues, Value>) { fatalError() }
  public var wrappedValue: Value { fatalError() }
}
/// https://developer.apple.com/documentation/swiftui/environmentvalues/displayscale
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
public struct EnvironmentValues { public var displayScale: CGFloat { get { fatalError() } set { fatalError() } } }
