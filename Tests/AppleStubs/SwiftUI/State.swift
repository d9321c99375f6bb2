// swift-format-ignore-file
// https://developer.apple.com/documentation/swiftui/stateobject
public import Combine
public import CoreGraphics

@MainActor @preconcurrency @propertyWrapper public struct StateObject<ObjectType: ObservableObject> {
  nonisolated public init(wrappedValue thunk: @autoclosure @escaping () -> ObjectType) {}
  public var wrappedValue: ObjectType { fatalError() }
}
/// https://developer.apple.com/documentation/swiftui/environment
@propertyWrapper public struct Environment<Value> {
  public init(_ keyPath: KeyPath<EnvironmentValues, Value>) { fatalError() }
  public var wrappedValue: Value { fatalError() }
}
/// https://developer.apple.com/documentation/swiftui/environmentvalues/displayscale
public struct EnvironmentValues { public var displayScale: CGFloat { get { fatalError() } set { fatalError() } } }
