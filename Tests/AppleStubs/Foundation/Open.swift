// swift-format-ignore-file
// Foundation/NSURL.h, NSString.h and NSFileManager.h, https://developer.apple.com/documentation/foundation/url and the pages of String and FileManager: what Apple's
// Foundation has and its open part, FoundationEssentials, has not.
@_exported public import enum Glibc.POSIXErrorCode

extension URL {
  @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *) public static var cachesDirectory: URL { fatalError() }
  @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *) public static var applicationSupportDirectory: URL { fatalError() }
}
extension StringProtocol {
  public func replacingOccurrences<Target: StringProtocol, Replacement: StringProtocol>(
    of target: Target, with replacement: Replacement
  ) -> String { fatalError() }
  public var removingPercentEncoding: String? { fatalError() }
  public func range<T: StringProtocol>(
    of searchString: T, options mask: String.CompareOptions = [], range searchRange: Range<Index>? = nil, locale: Locale? = nil
  ) -> Range<Index>? { fatalError() }
  public func components<T: StringProtocol>(separatedBy separator: T) -> [String] { fatalError() }
  public func components(separatedBy separator: CharacterSet) -> [String] { fatalError() }
  public func trimmingCharacters(in set: CharacterSet) -> String { fatalError() }
  public func addingPercentEncoding(withAllowedCharacters allowedCharacters: CharacterSet) -> String? { fatalError() }
}
/// https://developer.apple.com/documentation/objectivec/objcbool
public struct ObjCBool: ExpressibleByBooleanLiteral, Sendable {
  public init(_ value: Bool) { fatalError() }
  public init(booleanLiteral value: Bool) { fatalError() }
  public var boolValue: Bool { fatalError() }
}
extension FileManager {
  /// https://developer.apple.com/documentation/foundation/filemanager/fileexists(atpath:isdirectory:)
  public func fileExists(atPath path: String, isDirectory: UnsafeMutablePointer<ObjCBool>?) -> Bool { fatalError() }
}
extension FileManager {
  /// https://developer.apple.com/documentation/foundation/filemanager/directoryenumerator
  open class DirectoryEnumerator: NSObject, IteratorProtocol, Sequence { public func next() -> Any? { fatalError() } }
  public func enumerator(atPath path: String) -> DirectoryEnumerator? { fatalError() }
  public func enumerator(
    at url: URL, includingPropertiesForKeys keys: [URLResourceKey]?, options mask: FileManager.DirectoryEnumerationOptions = [],
    errorHandler handler: ((URL, any Error) -> Bool)? = nil
  ) -> DirectoryEnumerator? { fatalError() }
  public func contentsOfDirectory(
    at url: URL, includingPropertiesForKeys keys: [URLResourceKey]?, options mask: FileManager.DirectoryEnumerationOptions = []
  ) throws -> [URL] { fatalError() }
}
/// https://developer.apple.com/documentation/foundation/urlresourcekey
public struct URLResourceKey: Hashable, Sendable {
  public static var isRegularFileKey: Self { fatalError() }
  public static var isDirectoryKey: Self { fatalError() }
  public static var fileSizeKey: Self { fatalError() }
}
extension ProcessInfo {
  /// https://developer.apple.com/documentation/foundation/processinfo/performexpiringactivity(withreason:using:)
  @available(macOS, unavailable)
  public func performExpiringActivity(withReason reason: String, using block: @escaping @Sendable (Bool) -> Void) { fatalError() }
}
/// https://developer.apple.com/documentation/foundation/urlresourcevalues
public struct URLResourceValues {
  public init() { fatalError() }
  public var isExcludedFromBackup: Bool? { get { fatalError() } set { fatalError() } }
}
extension URL {
  /// https://developer.apple.com/documentation/foundation/url/setresourcevalues(_:)
  public mutating func setResourceValues(_ values: URLResourceValues) throws { fatalError() }
}
extension Data {
  /// https://developer.apple.com/documentation/foundation/data/range(of:options:in:)
  public func range(of dataToFind: Data, options: SearchOptions = [], in range: Range<Index>? = nil) -> Range<Index>? { fatalError() }
}
