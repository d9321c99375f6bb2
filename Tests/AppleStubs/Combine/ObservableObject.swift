// swift-format-ignore-file
// https://developer.apple.com/documentation/combine/observableobject
public protocol ObservableObject: AnyObject {
  associatedtype ObjectWillChangePublisher = ObservableObjectPublisher
  var objectWillChange: ObjectWillChangePublisher { get }
}
extension ObservableObject where ObjectWillChangePublisher == ObservableObjectPublisher {
  public var objectWillChange: ObservableObjectPublisher { fatalError() }
}
/// https://developer.apple.com/documentation/combine/observableobjectpublisher
public final class ObservableObjectPublisher {
  public func send() { fatalError() }
}
