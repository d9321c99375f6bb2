// swift-format-ignore-file
// Foundation/NSJSONSerialization.h, https://developer.apple.com/documentation/foundation/jsonserialization
open class JSONSerialization: NSObject {
  public struct ReadingOptions: OptionSet, Sendable { public let rawValue: UInt; public init(rawValue: UInt) { self.rawValue = rawValue }
    public static var fragmentsAllowed: ReadingOptions { fatalError() } }
  public struct WritingOptions: OptionSet, Sendable { public let rawValue: UInt; public init(rawValue: UInt) { self.rawValue = rawValue }
    public static var fragmentsAllowed: WritingOptions { fatalError() }
    @available(macOS 10.13, iOS 11, tvOS 11, watchOS 4, *) public static var sortedKeys: WritingOptions { fatalError() }
    public static var prettyPrinted: WritingOptions { fatalError() } }
  open class func jsonObject(with data: Data, options opt: ReadingOptions = []) throws -> Any { fatalError() }
  open class func data(withJSONObject obj: Any, options opt: WritingOptions = []) throws -> Data { fatalError() }
  open class func isValidJSONObject(_ obj: Any) -> Bool { fatalError() }
}
/// https://developer.apple.com/documentation/foundation/propertylistserialization
open class PropertyListSerialization: NSObject {
  public enum PropertyListFormat: UInt, Sendable { case openStep = 1, xml = 100, binary = 200 }
  public struct MutabilityOptions: OptionSet, Sendable { public let rawValue: UInt; public init(rawValue: UInt) { self.rawValue = rawValue } }
  public typealias ReadOptions = MutabilityOptions
  public typealias WriteOptions = Int
  open class func data(fromPropertyList plist: Any, format: PropertyListFormat, options opt: WriteOptions) throws -> Data { fatalError() }
  open class func propertyList(from data: Data, options opt: ReadOptions = [], format: UnsafeMutablePointer<PropertyListFormat>?) throws -> Any { fatalError() }
}
/// https://developer.apple.com/documentation/foundation/iso8601dateformatter
@available(macOS 10.12, iOS 10, tvOS 10, watchOS 3, *) open class ISO8601DateFormatter: NSObject, @unchecked Sendable {
  public struct Options: OptionSet, Sendable { public let rawValue: UInt; public init(rawValue: UInt) { self.rawValue = rawValue }
    public static var withInternetDateTime: Options { fatalError() }
    @available(macOS 10.13, iOS 11, tvOS 11, watchOS 4, *) public static var withFractionalSeconds: Options { fatalError() } }
  open var formatOptions: Options { get { fatalError() } set { fatalError() } }
  open func string(from date: Date) -> String { fatalError() }
  open func date(from string: String) -> Date? { fatalError() }
}
/// https://developer.apple.com/documentation/foundation/nshomedirectory() and nstemporarydirectory()
public func NSHomeDirectory() -> String { fatalError() }
public func NSTemporaryDirectory() -> String { fatalError() }
/// https://developer.apple.com/documentation/foundation/characterset
public struct CharacterSet: Hashable, Sendable, ExpressibleByArrayLiteral {
  public init(arrayLiteral elements: Unicode.Scalar...) { fatalError() }
  public init(charactersIn string: String) { fatalError() }
  public static var whitespaces: CharacterSet { fatalError() }
  public static var newlines: CharacterSet { fatalError() }
  public static var whitespacesAndNewlines: CharacterSet { fatalError() }
  public static var alphanumerics: CharacterSet { fatalError() }
  public static var urlFragmentAllowed: CharacterSet { fatalError() }
  public static var urlQueryAllowed: CharacterSet { fatalError() }
  public var inverted: CharacterSet { fatalError() }
}
