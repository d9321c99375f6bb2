// swift-format-ignore-file
// https://developer.apple.com/documentation/foundation/urlrequest
public struct URLRequest: Hashable, Sendable {
  public enum CachePolicy: UInt, Sendable {
    case useProtocolCachePolicy = 0, reloadIgnoringLocalCacheData = 1, returnCacheDataElseLoad = 2, returnCacheDataDontLoad = 3
    case reloadIgnoringLocalAndRemoteCacheData = 4, reloadRevalidatingCacheData = 5
  }
  public enum NetworkServiceType: UInt, Sendable {
    case `default` = 0, voip = 1, video = 2, background = 3, voice = 4, responsiveData = 6, avStreaming = 8, responsiveAV = 9, callSignaling = 11
  }
  public init(url: URL, cachePolicy: CachePolicy = .useProtocolCachePolicy, timeoutInterval: TimeInterval = 60) { fatalError() }
  public var url: URL?
  public var cachePolicy: CachePolicy
  public var timeoutInterval: TimeInterval
  public var networkServiceType: NetworkServiceType
  public var allowsCellularAccess: Bool
  public var allowsExpensiveNetworkAccess: Bool
  public var allowsConstrainedNetworkAccess: Bool
  public var assumesHTTP3Capable: Bool
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
}
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
