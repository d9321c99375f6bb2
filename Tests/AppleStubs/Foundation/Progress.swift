// swift-format-ignore-file
// Foundation/NSProgress.h, https://developer.apple.com/documentation/foundation/progress
open class Progress: NSObject, @unchecked Sendable {
  public convenience init(totalUnitCount unitCount: Int64) { fatalError() }
  open var totalUnitCount: Int64 { get { fatalError() } set { fatalError() } }
  open var completedUnitCount: Int64 { get { fatalError() } set { fatalError() } }
  open var isCancellable: Bool { get { fatalError() } set { fatalError() } }
  open var isPausable: Bool { get { fatalError() } set { fatalError() } }
  open var isIndeterminate: Bool { fatalError() }
  open var fractionCompleted: Double { fatalError() }
  open var cancellationHandler: (@Sendable () -> Void)? { get { fatalError() } set { fatalError() } }
  open var pausingHandler: (@Sendable () -> Void)? { get { fatalError() } set { fatalError() } }
  open var resumingHandler: (@Sendable () -> Void)? { get { fatalError() } set { fatalError() } }
  open func setUserInfoObject(_ objectOrNil: Any?, forKey key: ProgressUserInfoKey) { fatalError() }
  open func cancel() { fatalError() }
  open func pause() { fatalError() }
  open func resume() { fatalError() }
}
/// https://developer.apple.com/documentation/foundation/progressuserinfokey
public struct ProgressUserInfoKey: Hashable, RawRepresentable, Sendable {
  public var rawValue: String
  public init(_ rawValue: String) { fatalError() }
  public init(rawValue: String) { fatalError() }
  public static let throughputKey = ProgressUserInfoKey("")
  public static let estimatedTimeRemainingKey = ProgressUserInfoKey("")
}
