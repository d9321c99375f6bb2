// swift-format-ignore-file
// Foundation/NSURLResponse.h and NSURLError.h, https://developer.apple.com/documentation/foundation/urlresponse
public import Security

open class URLResponse: NSObject, @unchecked Sendable {
  public init(url: URL, mimeType MIMEType: String?, expectedContentLength length: Int, textEncodingName name: String?) { fatalError() }
  open var url: URL? { fatalError() }
  open var mimeType: String? { fatalError() }
  open var expectedContentLength: Int64 { fatalError() }
  open var suggestedFilename: String? { fatalError() }
}
/// https://developer.apple.com/documentation/foundation/httpurlresponse
open class HTTPURLResponse: URLResponse, @unchecked Sendable {
  public init?(url: URL, statusCode: Int, httpVersion HTTPVersion: String?, headerFields: [String: String]?) { fatalError() }
  open var statusCode: Int { fatalError() }
  open var allHeaderFields: [AnyHashable: Any] { fatalError() }
  @available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *) open func value(forHTTPHeaderField field: String) -> String? { fatalError() }
}
/// https://developer.apple.com/documentation/foundation/urlerror
public struct URLError: Error, Hashable, Sendable {
  public init(_ code: Code, userInfo: [String: Any] = [:]) { fatalError() }
  public var code: Code { fatalError() }
  public var errorCode: Int { fatalError() }
  public var userInfo: [String: Any] { fatalError() }
  public var failingURL: URL? { fatalError() }
  /// https://developer.apple.com/documentation/foundation/urlerror/failureurlpeertrust
  public var failureURLPeerTrust: SecTrust? { fatalError() }
  public static func == (left: URLError, right: URLError) -> Bool { fatalError() }
  public func hash(into hasher: inout Hasher) { fatalError() }
  /// https://developer.apple.com/documentation/foundation/urlerror/code
  public struct Code: RawRepresentable, Hashable, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }
    public static var unknown: Code { Code(rawValue: -1) }
    public static var cancelled: Code { Code(rawValue: -999) }
    public static var badURL: Code { Code(rawValue: -1000) }
    public static var timedOut: Code { Code(rawValue: -1001) }
    public static var unsupportedURL: Code { Code(rawValue: -1002) }
    public static var cannotFindHost: Code { Code(rawValue: -1003) }
    public static var cannotConnectToHost: Code { Code(rawValue: -1004) }
    public static var networkConnectionLost: Code { Code(rawValue: -1005) }
    public static var dnsLookupFailed: Code { Code(rawValue: -1006) }
    public static var httpTooManyRedirects: Code { Code(rawValue: -1007) }
    public static var resourceUnavailable: Code { Code(rawValue: -1008) }
    public static var notConnectedToInternet: Code { Code(rawValue: -1009) }
    public static var redirectToNonExistentLocation: Code { Code(rawValue: -1010) }
    public static var badServerResponse: Code { Code(rawValue: -1011) }
    public static var userCancelledAuthentication: Code { Code(rawValue: -1012) }
    public static var userAuthenticationRequired: Code { Code(rawValue: -1013) }
    public static var zeroByteResource: Code { Code(rawValue: -1014) }
    public static var cannotDecodeRawData: Code { Code(rawValue: -1015) }
    public static var cannotDecodeContentData: Code { Code(rawValue: -1016) }
    public static var cannotParseResponse: Code { Code(rawValue: -1017) }
    public static var internationalRoamingOff: Code { Code(rawValue: -1018) }
    public static var callIsActive: Code { Code(rawValue: -1019) }
    public static var dataNotAllowed: Code { Code(rawValue: -1020) }
    public static var requestBodyStreamExhausted: Code { Code(rawValue: -1021) }
    public static var appTransportSecurityRequiresSecureConnection: Code { Code(rawValue: -1022) }
    public static var fileDoesNotExist: Code { Code(rawValue: -1100) }
    public static var fileIsDirectory: Code { Code(rawValue: -1101) }
    public static var noPermissionsToReadFile: Code { Code(rawValue: -1102) }
    public static var dataLengthExceedsMaximum: Code { Code(rawValue: -1103) }
    public static var secureConnectionFailed: Code { Code(rawValue: -1200) }
    public static var serverCertificateHasBadDate: Code { Code(rawValue: -1201) }
    public static var serverCertificateUntrusted: Code { Code(rawValue: -1202) }
    public static var serverCertificateHasUnknownRoot: Code { Code(rawValue: -1203) }
    public static var serverCertificateNotYetValid: Code { Code(rawValue: -1204) }
    public static var clientCertificateRejected: Code { Code(rawValue: -1205) }
    public static var clientCertificateRequired: Code { Code(rawValue: -1206) }
    public static var cannotLoadFromNetwork: Code { Code(rawValue: -2000) }
    public static var backgroundSessionWasDisconnected: Code { Code(rawValue: -997) }
  }
}
public func ~= (left: URLError.Code, right: any Error) -> Bool { fatalError() }
