// swift-format-ignore-file
// https://developer.apple.com/documentation/swiftui/state
public import Observation

@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
@propertyWrapper public struct State<Value> {
  public init(wrappedValue value: Value) { fatalError() }
  public init(initialValue value: Value) { fatalError() }
  public var wrappedValue: Value { get { fatalError() } nonmutating set { fatalError() } }
  public var projectedValue: Binding<Value> { fatalError() }
}
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
extension State where Value: ExpressibleByNilLiteral { public init() { fatalError() } }
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
extension State: Sendable where Value: Sendable {}
/// https://developer.apple.com/documentation/swiftui/binding
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
@propertyWrapper public struct Binding<Value> {
  let value: Value
  public init(get: @escaping () -> Value, set: @escaping (Value) -> Void) { fatalError() }
  public var wrappedValue: Value { get { fatalError() } nonmutating set { fatalError() } }
  public var projectedValue: Binding<Value> { fatalError() }
}
/// https://developer.apple.com/documentation/swiftui/bindable
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
@dynamicMemberLookup @propertyWrapper public struct Bindable<Value> {
  let value: Value
  public var wrappedValue: Value { get { fatalError() } set { fatalError() } }
  public var projectedValue: Bindable<Value> { fatalError() }
}
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
extension Bindable where Value: AnyObject {
  public subscript<Subject>(dynamicMember keyPath: ReferenceWritableKeyPath<Value, Subject>) -> Binding<Subject> { fatalError() }
}
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
extension Bindable where Value: AnyObject, Value: Observable {
  public init(wrappedValue: Value) { fatalError() }
}
/// https://developer.apple.com/documentation/swiftui/environmentvalues/dismiss
@available(macOS 12, iOS 15, tvOS 15, watchOS 8, *)
extension EnvironmentValues { public var dismiss: DismissAction { fatalError() } }
/// https://developer.apple.com/documentation/swiftui/dismissaction
@available(macOS 12, iOS 15, tvOS 15, watchOS 8, *)
@MainActor @preconcurrency public struct DismissAction {
  @MainActor @preconcurrency public func callAsFunction() { fatalError() }
}
