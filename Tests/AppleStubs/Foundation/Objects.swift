// swift-format-ignore-file
// objc/NSObject.h, Foundation/NSString.h, NSValue.h and NSError.h, https://developer.apple.com/documentation/objectivec/nsobject-swift.class
// https://developer.apple.com/documentation/swift/importing-objective-c-into-swift: types that `as` bridges.
@_exported public import CoreFoundation
@_exported public import Darwin
@_exported public import Dispatch
@_exported public import FoundationEssentials
@_exported public import FoundationInternationalization

public protocol NSObjectProtocol: AnyObject {
  func isEqual(_ object: Any?) -> Bool
  var hash: Int { get }
}
open class NSObject: NSObjectProtocol, Equatable, Hashable {
  public init() {}
  open func isEqual(_ object: Any?) -> Bool { fatalError() }
  open var hash: Int { fatalError() }
  public static func == (left: NSObject, right: NSObject) -> Bool { fatalError() }
  public func hash(into hasher: inout Hasher) { fatalError() }
  /// https://developer.apple.com/documentation/objectivec/nsobjectprotocol/responds(to:), of classes as well
  open func responds(to aSelector: Selector!) -> Bool { fatalError() }
  public class func responds(to aSelector: Selector!) -> Bool { fatalError() }
  /// https://developer.apple.com/documentation/objectivec/nsobjectprotocol/perform(_:)
  public class func perform(_ aSelector: Selector!) -> Unmanaged<AnyObject>! { fatalError() }
}
/// https://developer.apple.com/documentation/objectivec/selector
public struct Selector: Hashable, Sendable {}
/// https://developer.apple.com/documentation/foundation/nsselectorfromstring(_:)
public func NSSelectorFromString(_ aSelectorName: String) -> Selector { fatalError() }

/// https://developer.apple.com/documentation/foundation/nsstring
open class NSString: NSObject, @unchecked Sendable {
  open var lastPathComponent: String { fatalError() }
  open var deletingPathExtension: String { fatalError() }
  open var deletingLastPathComponent: String { fatalError() }
  open var pathExtension: String { fatalError() }
  open func appendingPathComponent(_ str: String) -> String { fatalError() }
}
extension String: @retroactive _ObjectiveCBridgeable {
  public func _bridgeToObjectiveC() -> NSString { fatalError() }
  public static func _forceBridgeFromObjectiveC(_ source: NSString, result: inout String?) { fatalError() }
  public static func _conditionallyBridgeFromObjectiveC(_ source: NSString, result: inout String?) -> Bool { fatalError() }
  public static func _unconditionallyBridgeFromObjectiveC(_ source: NSString?) -> String { fatalError() }
}
/// https://developer.apple.com/documentation/foundation/nsnumber
open class NSNumber: NSObject, @unchecked Sendable {
  public init(value: Bool) { fatalError() }
  public init(value: Int8) { fatalError() }
  public init(value: UInt8) { fatalError() }
  public init(value: Int16) { fatalError() }
  public init(value: UInt16) { fatalError() }
  public init(value: Int32) { fatalError() }
  public init(value: UInt32) { fatalError() }
  public init(value: Int) { fatalError() }
  public init(value: Int64) { fatalError() }
  public init(value: UInt64) { fatalError() }
  public init(value: Float) { fatalError() }
  public init(value: Double) { fatalError() }
  open var objCType: UnsafePointer<CChar> { fatalError() }
  open var floatValue: Float { fatalError() }
  open var int64Value: Int64 { fatalError() }
  open var uint64Value: UInt64 { fatalError() }
  open var decimalValue: Decimal { fatalError() }
  open var intValue: Int { fatalError() }
  open var boolValue: Bool { fatalError() }
  open var doubleValue: Double { fatalError() }
}
/// https://developer.apple.com/documentation/foundation/nsdecimalnumber
open class NSDecimalNumber: NSNumber, @unchecked Sendable {
  public init(decimal dcm: Decimal) { fatalError() }
  public convenience init(string numberValue: String?) { fatalError() }
}
/// https://developer.apple.com/documentation/foundation/nsnull
open class NSNull: NSObject, @unchecked Sendable {}
/// https://developer.apple.com/documentation/foundation/nsurlerrordomain
public let NSURLErrorDomain: String = ""
/// https://developer.apple.com/documentation/foundation/nsposixerrordomain
public let NSPOSIXErrorDomain: String = ""
/// https://developer.apple.com/documentation/foundation/nserror
open class NSError: NSObject, Error, @unchecked Sendable {
  public init(domain: String, code: Int, userInfo dict: [String: Any]? = nil) { fatalError() }
  open var domain: String { fatalError() }
  open var code: Int { fatalError() }
  open var userInfo: [String: Any] { fatalError() }
  open var localizedDescription: String { fatalError() }
}
extension Error {
  public var localizedDescription: String { fatalError() }
}
/// https://developer.apple.com/documentation/foundation/nsurlerrorbackgroundtaskcancelledreasonkey
public let NSURLErrorBackgroundTaskCancelledReasonKey: String = ""
public let NSUnderlyingErrorKey: String = ""
public let NSLocalizedDescriptionKey: String = ""
// What the compiler calls for `as NSError`.
public func _convertErrorToNSError(_ error: any Error) -> NSError { fatalError() }
public func _convertNSErrorToError(_ error: NSError?) -> any Error { fatalError() }
