// swift-format-ignore-file
// Foundation/NSURLSession.h, https://developer.apple.com/documentation/foundation/urlsession
public import Security

open class URLSession: NSObject, @unchecked Sendable {
  public enum AuthChallengeDisposition: Int, Sendable {
    case useCredential = 0, performDefaultHandling = 1, cancelAuthenticationChallenge = 2, rejectProtectionSpace = 3
  }
  public enum ResponseDisposition: Int, Sendable { case cancel = 0, allow = 1, becomeDownload = 2, becomeStream = 3 }
  open class var shared: URLSession { fatalError() }
  public init(configuration: URLSessionConfiguration) { fatalError() }
  public init(configuration: URLSessionConfiguration, delegate: (any URLSessionDelegate)?, delegateQueue queue: OperationQueue?) { fatalError() }
  open func dataTask(with request: URLRequest) -> URLSessionDataTask { fatalError() }
  open func uploadTask(with request: URLRequest, from bodyData: Data) -> URLSessionUploadTask { fatalError() }
  open func uploadTask(with request: URLRequest, fromFile fileURL: URL) -> URLSessionUploadTask { fatalError() }
  open func uploadTask(withStreamedRequest request: URLRequest) -> URLSessionUploadTask { fatalError() }
  open func downloadTask(with request: URLRequest) -> URLSessionDownloadTask { fatalError() }
  open func getAllTasks(completionHandler: @escaping @Sendable ([URLSessionTask]) -> Void) { fatalError() }
  @available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *) open func webSocketTask(with request: URLRequest) -> URLSessionWebSocketTask { fatalError() }
  open var delegateQueue: OperationQueue { fatalError() }
  /// https://developer.apple.com/documentation/foundation/urlsession/configuration
  open var configuration: URLSessionConfiguration { fatalError() }
  open func flush(completionHandler: @escaping @Sendable () -> Void) { fatalError() }
  open func invalidateAndCancel() { fatalError() }
  open func finishTasksAndInvalidate() { fatalError() }
  @available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *) public func data(for request: URLRequest) async throws -> (Data, URLResponse) { fatalError() }
  @available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *) public func data(from url: URL) async throws -> (Data, URLResponse) { fatalError() }
}
/// https://developer.apple.com/documentation/foundation/urlsessiontask
open class URLSessionTask: NSObject, @unchecked Sendable {
  open var taskIdentifier: Int { fatalError() }
  open var taskDescription: String? { get { fatalError() } set { fatalError() } }
  open var originalRequest: URLRequest? { fatalError() }
  open var currentRequest: URLRequest? { fatalError() }
  open var response: URLResponse? { fatalError() }
  open var countOfBytesSent: Int64 { fatalError() }
  open var countOfBytesReceived: Int64 { fatalError() }
  open var error: (any Error)? { fatalError() }
  /// https://developer.apple.com/documentation/foundation/urlsessiontask/state-swift.enum
  public enum State: Int, Sendable { case running = 0, suspended = 1, canceling = 2, completed = 3 }
  open var state: State { fatalError() }
  open var priority: Float { get { fatalError() } set { fatalError() } }
  /// https://developer.apple.com/documentation/foundation/urlsessiontask/delegate
  @available(iOS 15, macCatalyst 15, macOS 12, tvOS 15, visionOS 1, watchOS 8, *)
  open var delegate: (any URLSessionTaskDelegate)? { get { fatalError() } set { fatalError() } }
  open func cancel() { fatalError() }
  open func suspend() { fatalError() }
  open func resume() { fatalError() }
}
open class URLSessionDataTask: URLSessionTask, @unchecked Sendable {}
open class URLSessionUploadTask: URLSessionDataTask, @unchecked Sendable {}
open class URLSessionDownloadTask: URLSessionTask, @unchecked Sendable {}
/// https://developer.apple.com/documentation/foundation/urlsessionwebsockettask
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *) open class URLSessionWebSocketTask: URLSessionTask, @unchecked Sendable {
  /// https://developer.apple.com/documentation/foundation/urlsessionwebsockettask/closecode: an open enumeration of C.
  public struct CloseCode: RawRepresentable, Hashable, Sendable {
    public var rawValue: Int
    public init?(rawValue: Int) { self.rawValue = rawValue }
    private init(_ rawValue: Int) { self.rawValue = rawValue }
    public static var invalid: CloseCode { CloseCode(0) }
    public static var normalClosure: CloseCode { CloseCode(1000) }
    public static var goingAway: CloseCode { CloseCode(1001) }
    public static var protocolError: CloseCode { CloseCode(1002) }
    public static var unsupportedData: CloseCode { CloseCode(1003) }
    public static var noStatusReceived: CloseCode { CloseCode(1005) }
    public static var abnormalClosure: CloseCode { CloseCode(1006) }
    public static var invalidFramePayloadData: CloseCode { CloseCode(1007) }
    public static var policyViolation: CloseCode { CloseCode(1008) }
    public static var messageTooBig: CloseCode { CloseCode(1009) }
    public static var mandatoryExtensionMissing: CloseCode { CloseCode(1010) }
    public static var internalServerError: CloseCode { CloseCode(1011) }
    public static var tlsHandshakeFailure: CloseCode { CloseCode(1015) }
  }
  public enum Message: Sendable { case data(Data), string(String) }
  open var maximumMessageSize: Int { get { fatalError() } set { fatalError() } }
  open var closeCode: CloseCode { fatalError() }
  open var closeReason: Data? { fatalError() }
  open func cancel(with closeCode: CloseCode, reason: Data?) { fatalError() }
  public func send(_ message: Message, completionHandler: @escaping @Sendable ((any Error)?) -> Void) { fatalError() }
  public func receive(completionHandler: @escaping @Sendable (Result<Message, any Error>) -> Void) { fatalError() }
  open func sendPing(pongReceiveHandler: @escaping @Sendable ((any Error)?) -> Void) { fatalError() }
}
/// https://developer.apple.com/documentation/foundation/urlsessionconfiguration
open class URLSessionConfiguration: NSObject, @unchecked Sendable {
  open class var `default`: URLSessionConfiguration { fatalError() }
  open class var ephemeral: URLSessionConfiguration { fatalError() }
  open class func background(withIdentifier identifier: String) -> URLSessionConfiguration { fatalError() }
  /// https://developer.apple.com/documentation/foundation/urlsessionconfiguration/identifier
  open var identifier: String? { fatalError() }
  open var requestCachePolicy: URLRequest.CachePolicy { get { fatalError() } set { fatalError() } }
  open var timeoutIntervalForRequest: TimeInterval { get { fatalError() } set { fatalError() } }
  open var timeoutIntervalForResource: TimeInterval { get { fatalError() } set { fatalError() } }
  open var networkServiceType: URLRequest.NetworkServiceType { get { fatalError() } set { fatalError() } }
  open var allowsCellularAccess: Bool { get { fatalError() } set { fatalError() } }
  @available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *) open var allowsExpensiveNetworkAccess: Bool { get { fatalError() } set { fatalError() } }
  @available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *) open var allowsConstrainedNetworkAccess: Bool { get { fatalError() } set { fatalError() } }
  @available(macOS 10.13, iOS 11, tvOS 11, watchOS 4, *) open var waitsForConnectivity: Bool { get { fatalError() } set { fatalError() } }
  open var isDiscretionary: Bool { get { fatalError() } set { fatalError() } }
  @available(macOS 11, iOS 7, tvOS 9, watchOS 2, *) open var sessionSendsLaunchEvents: Bool { get { fatalError() } set { fatalError() } }
  open var sharedContainerIdentifier: String? { get { fatalError() } set { fatalError() } }
  open var connectionProxyDictionary: [AnyHashable: Any]? { get { fatalError() } set { fatalError() } }
  @available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *) open var tlsMinimumSupportedProtocolVersion: tls_protocol_version_t { get { fatalError() } set { fatalError() } }
  @available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *) open var tlsMaximumSupportedProtocolVersion: tls_protocol_version_t { get { fatalError() } set { fatalError() } }
  open var httpShouldSetCookies: Bool { get { fatalError() } set { fatalError() } }
  open var httpCookieAcceptPolicy: HTTPCookie.AcceptPolicy { get { fatalError() } set { fatalError() } }
  open var httpAdditionalHeaders: [AnyHashable: Any]? { get { fatalError() } set { fatalError() } }
  open var httpMaximumConnectionsPerHost: Int { get { fatalError() } set { fatalError() } }
  open var httpCookieStorage: HTTPCookieStorage? { get { fatalError() } set { fatalError() } }
  open var urlCredentialStorage: URLCredentialStorage? { get { fatalError() } set { fatalError() } }
  open var urlCache: URLCache? { get { fatalError() } set { fatalError() } }
  open var protocolClasses: [AnyClass]? { get { fatalError() } set { fatalError() } }
}
/// https://developer.apple.com/documentation/foundation/urlsessiontasktransactionmetrics
@available(macOS 10.12, iOS 10, tvOS 10, watchOS 3, *) open class URLSessionTaskTransactionMetrics: NSObject, @unchecked Sendable {
  open var request: URLRequest { fatalError() }
  open var response: URLResponse? { fatalError() }
  open var fetchStartDate: Date? { fatalError() }
  open var domainLookupStartDate: Date? { fatalError() }
  open var domainLookupEndDate: Date? { fatalError() }
  open var connectStartDate: Date? { fatalError() }
  open var secureConnectionStartDate: Date? { fatalError() }
  open var secureConnectionEndDate: Date? { fatalError() }
  open var connectEndDate: Date? { fatalError() }
  open var requestStartDate: Date? { fatalError() }
  open var requestEndDate: Date? { fatalError() }
  open var responseStartDate: Date? { fatalError() }
  open var responseEndDate: Date? { fatalError() }
  open var networkProtocolName: String? { fatalError() }
  open var isProxyConnection: Bool { fatalError() }
  open var isReusedConnection: Bool { fatalError() }
  @available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *) open var countOfRequestHeaderBytesSent: Int64 { fatalError() }
  @available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *) open var countOfRequestBodyBytesSent: Int64 { fatalError() }
  @available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *) open var countOfRequestBodyBytesBeforeEncoding: Int64 { fatalError() }
  @available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *) open var countOfResponseHeaderBytesReceived: Int64 { fatalError() }
  @available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *) open var countOfResponseBodyBytesReceived: Int64 { fatalError() }
  @available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *) open var countOfResponseBodyBytesAfterDecoding: Int64 { fatalError() }
  @available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *) open var localAddress: String? { fatalError() }
  @available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *) open var localPort: Int? { fatalError() }
  @available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *) open var remoteAddress: String? { fatalError() }
  @available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *) open var remotePort: Int? { fatalError() }
  @available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *) open var negotiatedTLSProtocolVersion: tls_protocol_version_t? { fatalError() }
  @available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *) open var negotiatedTLSCipherSuite: tls_ciphersuite_t? { fatalError() }
}
/// https://developer.apple.com/documentation/foundation/urlsessiontaskmetrics
@available(macOS 10.12, iOS 10, tvOS 10, watchOS 3, *) open class URLSessionTaskMetrics: NSObject, @unchecked Sendable {
  open var transactionMetrics: [URLSessionTaskTransactionMetrics] { fatalError() }
  open var taskInterval: DateInterval { fatalError() }
  open var redirectCount: Int { fatalError() }
}
