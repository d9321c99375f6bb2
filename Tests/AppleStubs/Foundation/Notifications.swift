// swift-format-ignore-file
// Foundation/NSNotification.h and NSOperation.h, https://developer.apple.com/documentation/foundation/notificationcenter
public struct Notification {
  public struct Name: Hashable, RawRepresentable, Sendable {
    public var rawValue: String
    public init(_ rawValue: String) { fatalError() }
    public init(rawValue: String) { fatalError() }
  }
  public var name: Name
  public var object: Any?
  public var userInfo: [AnyHashable: Any]?
}
@available(*, unavailable) extension Notification: Sendable {}
open class NotificationCenter: NSObject, @unchecked Sendable {
  open class var `default`: NotificationCenter { fatalError() }
  open func post(name aName: Notification.Name, object anObject: Any?, userInfo aUserInfo: [AnyHashable: Any]? = nil) { fatalError() }
  open func addObserver(
    forName name: Notification.Name?, object obj: Any?, queue: OperationQueue?, using block: @escaping @Sendable (Notification) -> Void
  ) -> any NSObjectProtocol { fatalError() }
  open func removeObserver(_ observer: Any) { fatalError() }
}
/// https://developer.apple.com/documentation/foundation/operationqueue
open class OperationQueue: NSObject, @unchecked Sendable {
  open class var main: OperationQueue { fatalError() }
  open class var current: OperationQueue? { fatalError() }
  open func addOperation(_ block: @escaping @Sendable () -> Void) { fatalError() }
  open var name: String? { get { fatalError() } set { fatalError() } }
  open var maxConcurrentOperationCount: Int { get { fatalError() } set { fatalError() } }
  open var underlyingQueue: DispatchQueue? { get { fatalError() } set { fatalError() } }
}
