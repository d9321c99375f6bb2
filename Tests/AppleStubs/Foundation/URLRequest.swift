// swift-format-ignore-file
// Foundation/NSURLRequest.h and NSStream.h, https://developer.apple.com/documentation/foundation/urlrequest
public struct URLRequest: Hashable, Sendable {
  public enum CachePolicy: UInt, Sendable {
    case useProtocolCachePolicy = 0, reloadIgnoringLocalCacheData = 1, returnCacheDataElseLoad = 2, returnCacheDataDontLoad = 3
    case reloadIgnoringLocalAndRemoteCacheData = 4, reloadRevalidatingCacheData = 5
  }
  public enum NetworkServiceType: UInt, Sendable {
    case `default` = 0, voip = 1, video = 2, background = 3, voice = 4, responsiveData = 6, avStreaming = 8, responsiveAV = 9
    @available(macOS 10.12, iOS 10, tvOS 10, watchOS 3, *) case callSignaling = 11
  }
  public init(url: URL, cachePolicy: CachePolicy = .useProtocolCachePolicy, timeoutInterval: TimeInterval = 60) { fatalError() }
  public var url: URL?
  public var cachePolicy: CachePolicy
  public var timeoutInterval: TimeInterval
  public var networkServiceType: NetworkServiceType
  public var allowsCellularAccess: Bool
  @available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *) public var allowsExpensiveNetworkAccess: Bool
  @available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *) public var allowsConstrainedNetworkAccess: Bool
  @available(macOS 11.3, iOS 14.5, tvOS 14.5, watchOS 7.4, *) public var assumesHTTP3Capable: Bool
  public var httpMethod: String? { get { fatalError() } set { fatalError() } }
  public var allHTTPHeaderFields: [String: String]? { get { fatalError() } set { fatalError() } }
  public var httpBody: Data? { get { fatalError() } set { fatalError() } }
  public var httpBodyStream: InputStream? { get { fatalError() } set { fatalError() } }
  public var httpShouldHandleCookies: Bool { get { fatalError() } set { fatalError() } }
  public var httpShouldUsePipelining: Bool { get { fatalError() } set { fatalError() } }
  public func value(forHTTPHeaderField field: String) -> String? { fatalError() }
  public mutating func setValue(_ value: String?, forHTTPHeaderField field: String) { fatalError() }
  public mutating func addValue(_ value: String, forHTTPHeaderField field: String) { fatalError() }
}
/// https://developer.apple.com/documentation/foundation/stream
open class Stream: NSObject {
  // The pointers are autoreleasing ones, which the compiler makes for the address of a variable as it makes these.
  open class func getBoundStreams(
    withBufferSize bufferSize: Int, inputStream: UnsafeMutablePointer<InputStream?>?,
    outputStream: UnsafeMutablePointer<OutputStream?>?
  ) { fatalError() }
  open func open() { fatalError() }
  open func close() { fatalError() }
  open var streamError: (any Error)? { fatalError() }
  open weak var delegate: (any StreamDelegate)?
  open var streamStatus: Status { fatalError() }
  /// https://developer.apple.com/documentation/foundation/stream/status
  public enum Status: UInt, Sendable { case notOpen = 0, opening = 1, open = 2, reading = 3, writing = 4, atEnd = 5, closed = 6, error = 7 }
  /// https://developer.apple.com/documentation/foundation/stream/event
  public struct Event: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static var openCompleted: Event { Event(rawValue: 1) }
    public static var hasBytesAvailable: Event { Event(rawValue: 2) }
    public static var hasSpaceAvailable: Event { Event(rawValue: 4) }
    public static var errorOccurred: Event { Event(rawValue: 8) }
    public static var endEncountered: Event { Event(rawValue: 16) }
  }
}
/// https://developer.apple.com/documentation/foundation/streamdelegate
public protocol StreamDelegate: NSObjectProtocol {
  func stream(_ aStream: Stream, handle eventCode: Stream.Event)
}
/// https://developer.apple.com/documentation/corefoundation/cfwritestream: a stream of the one kind is one of the other.
public typealias CFWriteStream = OutputStream
/// https://developer.apple.com/documentation/corefoundation/cfwritestreamsetdispatchqueue(_:_:)
public func CFWriteStreamSetDispatchQueue(_ stream: CFWriteStream!, _ q: DispatchQueue!) { fatalError() }
/// https://developer.apple.com/documentation/foundation/inputstream
open class InputStream: Stream {
  public init(data: Data) { fatalError() }
  public init?(url: URL) { fatalError() }
  open func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength len: Int) -> Int { fatalError() }
  open var hasBytesAvailable: Bool { fatalError() }
}
/// https://developer.apple.com/documentation/foundation/outputstream
open class OutputStream: Stream {
  open func write(_ buffer: UnsafePointer<UInt8>, maxLength len: Int) -> Int { fatalError() }
  open var hasSpaceAvailable: Bool { fatalError() }
}
/// The compiler makes one for the address of a variable.
public struct AutoreleasingUnsafeMutablePointer<Pointee> { public init(_ pointer: UnsafeMutablePointer<Pointee>) { fatalError() } }
