// swift-format-ignore-file
// The interface of the module Combine, https://developer.apple.com/documentation/combine/observableobject
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
public protocol ObservableObject: AnyObject {
  associatedtype ObjectWillChangePublisher = ObservableObjectPublisher
  var objectWillChange: ObjectWillChangePublisher { get }
}
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
extension ObservableObject where ObjectWillChangePublisher == ObservableObjectPublisher {
  public var objectWillChange: ObservableObjectPublisher { fatalError() }
}
/// https://developer.apple.com/documentation/combine/observableobjectpublisher
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
public final class ObservableObjectPublisher {
  public func send() { fatalError() }
}
/// https://developer.apple.com/documentation/combine/published
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
@propertyWrapper public struct Published<Value> {
  public init(wrappedValue: Value) { fatalError() }
  public var wrappedValue: Value { get { fatalError() } set { fatalError() } }
}
