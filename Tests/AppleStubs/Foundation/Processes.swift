// swift-format-ignore-file
// Foundation/NSTask.h, https://developer.apple.com/documentation/foundation/process: on macOS alone.
@available(iOS, unavailable) @available(tvOS, unavailable) @available(watchOS, unavailable)
open class Process: NSObject, @unchecked Sendable {
  public enum TerminationReason: Int, Sendable { case exit = 1, uncaughtSignal = 2 }
  @available(macOS 10.13, iOS 11, tvOS 11, watchOS 4, *) open var executableURL: URL? { get { fatalError() } set { fatalError() } }
  @available(macOS 10.13, iOS 11, tvOS 11, watchOS 4, *) open var currentDirectoryURL: URL? { get { fatalError() } set { fatalError() } }
  open var arguments: [String]? { get { fatalError() } set { fatalError() } }
  open var environment: [String: String]? { get { fatalError() } set { fatalError() } }
  open var standardInput: Any? { get { fatalError() } set { fatalError() } }
  open var standardOutput: Any? { get { fatalError() } set { fatalError() } }
  open var standardError: Any? { get { fatalError() } set { fatalError() } }
  @available(macOS 10.13, iOS 11, tvOS 11, watchOS 4, *) open func run() throws { fatalError() }
  open func interrupt() { fatalError() }
  open func terminate() { fatalError() }
  open func waitUntilExit() { fatalError() }
  open var isRunning: Bool { fatalError() }
  open var processIdentifier: Int32 { fatalError() }
  open var terminationStatus: Int32 { fatalError() }
  open var terminationReason: TerminationReason { fatalError() }
  open var terminationHandler: (@Sendable (Process) -> Void)? { get { fatalError() } set { fatalError() } }
}
/// https://developer.apple.com/documentation/foundation/filehandle
open class FileHandle: NSObject, @unchecked Sendable {
  open class var standardInput: FileHandle { fatalError() }
  open class var standardOutput: FileHandle { fatalError() }
  open class var standardError: FileHandle { fatalError() }
  open class var nullDevice: FileHandle { fatalError() }
  public convenience init?(forReadingAtPath path: String) { fatalError() }
  public convenience init?(forWritingAtPath path: String) { fatalError() }
  public convenience init(forReadingFrom url: URL) throws { fatalError() }
  public convenience init(forWritingTo url: URL) throws { fatalError() }
  public init(fileDescriptor fd: Int32, closeOnDealloc closeopt: Bool) { fatalError() }
  public convenience init(fileDescriptor fd: Int32) { fatalError() }
  open var fileDescriptor: Int32 { fatalError() }
  open var availableData: Data { fatalError() }
  open func readDataToEndOfFile() -> Data { fatalError() }
  open func write(_ data: Data) { fatalError() }
  @available(macOS 10.15.4, iOS 13.4, tvOS 13.4, watchOS 6.2, *) public func write<T: DataProtocol>(contentsOf data: T) throws { fatalError() }
  @available(macOS 10.15.4, iOS 13.4, tvOS 13.4, watchOS 6.2, *) public func readToEnd() throws -> Data? { fatalError() }
  @available(macOS 10.15.4, iOS 13.4, tvOS 13.4, watchOS 6.2, *) public func read(upToCount count: Int) throws -> Data? { fatalError() }
  @available(macOS 10.15.4, iOS 13.4, tvOS 13.4, watchOS 6.2, *) public func offset() throws -> UInt64 { fatalError() }
  @available(macOS 10.15.4, iOS 13.4, tvOS 13.4, watchOS 6.2, *) @discardableResult public func seekToEnd() throws -> UInt64 { fatalError() }
  @available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *) open func seek(toOffset offset: UInt64) throws { fatalError() }
  @available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *) open func truncate(atOffset offset: UInt64) throws { fatalError() }
  @available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *) open func synchronize() throws { fatalError() }
  @available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *) open func close() throws { fatalError() }
}
/// https://developer.apple.com/documentation/foundation/pipe
open class Pipe: NSObject, @unchecked Sendable {
  open var fileHandleForReading: FileHandle { fatalError() }
  open var fileHandleForWriting: FileHandle { fatalError() }
}
/// https://developer.apple.com/documentation/foundation/bundle
open class Bundle: NSObject, @unchecked Sendable {
  open class var main: Bundle { fatalError() }
  open class var allBundles: [Bundle] { fatalError() }
  public init(for aClass: AnyClass) { fatalError() }
  public init?(path: String) { fatalError() }
  open var bundleIdentifier: String? { fatalError() }
  open var resourcePath: String? { fatalError() }
  open var infoDictionary: [String: Any]? { fatalError() }
  open func object(forInfoDictionaryKey key: String) -> Any? { fatalError() }
  open var bundleURL: URL { fatalError() }
  open var bundlePath: String { fatalError() }
  open var executablePath: String? { fatalError() }
  open var executableURL: URL? { fatalError() }
  open var resourceURL: URL? { fatalError() }
  open func url(forResource name: String?, withExtension ext: String?) -> URL? { fatalError() }
  open func url(forResource name: String?, withExtension ext: String?, subdirectory subpath: String?) -> URL? { fatalError() }
}
/// https://developer.apple.com/documentation/foundation/thread
open class Thread: NSObject, @unchecked Sendable {
  open class var current: Thread { fatalError() }
  open class var isMainThread: Bool { fatalError() }
  @available(macOS 10.12, iOS 10, tvOS 10, watchOS 3, *) open class func detachNewThread(_ block: @escaping @Sendable () -> Void) { fatalError() }
  open class func sleep(forTimeInterval ti: TimeInterval) { fatalError() }
  @available(macOS 10.12, iOS 10, tvOS 10, watchOS 3, *) public convenience init(block: @escaping @Sendable () -> Void) { fatalError() }
  open var threadDictionary: NSMutableDictionary { fatalError() }
  open var name: String? { get { fatalError() } set { fatalError() } }
  open var stackSize: Int { get { fatalError() } set { fatalError() } }
  open func start() { fatalError() }
}
/// https://developer.apple.com/documentation/foundation/nsmutabledictionary
open class NSMutableDictionary: NSObject {
  public subscript(key: Any) -> Any? { get { fatalError() } set { fatalError() } }
}
/// https://developer.apple.com/documentation/foundation/nscondition
open class NSCondition: NSObject, @unchecked Sendable {
  open func lock() { fatalError() }
  open func unlock() { fatalError() }
  open func wait() { fatalError() }
  open func wait(until limit: Date) -> Bool { fatalError() }
  open func signal() { fatalError() }
  open func broadcast() { fatalError() }
  public func withLock<R>(_ body: () throws -> R) rethrows -> R { fatalError() }
}
/// https://developer.apple.com/documentation/foundation/nscoder
open class NSCoder: NSObject {}
