// swift-format-ignore-file
// Foundation/NSURLAuthenticationChallenge.h, NSURLProtectionSpace.h and NSURLCredential.h,
// https://developer.apple.com/documentation/foundation/urlauthenticationchallenge
public import Security

open class URLAuthenticationChallenge: NSObject, @unchecked Sendable {
  open var protectionSpace: URLProtectionSpace { fatalError() }
  open var proposedCredential: URLCredential? { fatalError() }
  open var previousFailureCount: Int { fatalError() }
  open var failureResponse: URLResponse? { fatalError() }
  open var error: (any Error)? { fatalError() }
}
/// https://developer.apple.com/documentation/foundation/urlprotectionspace
open class URLProtectionSpace: NSObject, @unchecked Sendable {
  open var realm: String? { fatalError() }
  open var host: String { fatalError() }
  open var port: Int { fatalError() }
  open var proxyType: String? { fatalError() }
  open var authenticationMethod: String { fatalError() }
  open func isProxy() -> Bool { fatalError() }
  open var serverTrust: SecTrust? { fatalError() }
  open var distinguishedNames: [Data]? { fatalError() }
}
// https://developer.apple.com/documentation/foundation/urlprotectionspace-authentication-methods
public let NSURLAuthenticationMethodDefault: String = ""
public let NSURLAuthenticationMethodHTTPBasic: String = ""
public let NSURLAuthenticationMethodHTTPDigest: String = ""
public let NSURLAuthenticationMethodNTLM: String = ""
public let NSURLAuthenticationMethodNegotiate: String = ""
public let NSURLAuthenticationMethodClientCertificate: String = ""
public let NSURLAuthenticationMethodServerTrust: String = ""
/// https://developer.apple.com/documentation/foundation/urlcredential
open class URLCredential: NSObject, @unchecked Sendable {
  public enum Persistence: UInt, Sendable { case none = 0, forSession = 1, permanent = 2, synchronizable = 3 }
  public init(user: String, password: String, persistence: Persistence) { fatalError() }
  public init(identity: SecIdentity, certificates certArray: [Any]?, persistence: Persistence) { fatalError() }
  public init(trust: SecTrust) { fatalError() }
}
open class URLCredentialStorage: NSObject, @unchecked Sendable {}
open class URLCache: NSObject, @unchecked Sendable {
  public enum StoragePolicy: UInt, Sendable { case allowed = 0, allowedInMemoryOnly = 1, notAllowed = 2 }
  public init(memoryCapacity: Int, diskCapacity: Int, diskPath path: String?) { fatalError() }
  open func cachedResponse(for request: URLRequest) -> CachedURLResponse? { fatalError() }
}
/// https://developer.apple.com/documentation/foundation/urlprotocol
open class URLProtocol: NSObject {
  open class func canInit(with request: URLRequest) -> Bool { fatalError() }
  open class func canonicalRequest(for request: URLRequest) -> URLRequest { fatalError() }
  open var request: URLRequest { fatalError() }
  open var client: (any URLProtocolClient)? { fatalError() }
  open func startLoading() { fatalError() }
  open func stopLoading() { fatalError() }
}
/// https://developer.apple.com/documentation/foundation/urlprotocolclient
public protocol URLProtocolClient: NSObjectProtocol {
  func urlProtocol(_ protocol: URLProtocol, didReceive response: URLResponse, cacheStoragePolicy policy: URLCache.StoragePolicy)
  func urlProtocol(_ protocol: URLProtocol, didLoad data: Data)
  func urlProtocolDidFinishLoading(_ protocol: URLProtocol)
}
open class HTTPCookieStorage: NSObject, @unchecked Sendable {}
/// https://developer.apple.com/documentation/foundation/httpcookie/acceptpolicy
open class HTTPCookie: NSObject, @unchecked Sendable {
  public enum AcceptPolicy: UInt, Sendable { case always = 0, never = 1, onlyFromMainDocumentDomain = 2 }
}
