// swift-format-ignore-file
// Security/SecTrust.h, SecCertificate.h, SecPolicy.h, SecIdentity.h, SecImportExport.h and SecProtocolTypes.h,
// https://developer.apple.com/documentation/security/certificate-key-and-trust-services
@_exported public import CoreFoundation
public import FoundationEssentials
public final class SecTrust {}
public final class SecPolicy {}
public final class SecCertificate {}
public final class SecIdentity {}

/// https://developer.apple.com/documentation/security/sectrustevaluatewitherror(_:_:)
@available(macOS 10.14, iOS 12, tvOS 12, watchOS 5, *) public func SecTrustEvaluateWithError(_ trust: SecTrust, _ error: UnsafeMutablePointer<CFError?>?) -> Bool { fatalError() }
/// https://developer.apple.com/documentation/security/sectrustcopycertificatechain(_:)
@available(macOS 12, iOS 15, tvOS 15, watchOS 8, *) public func SecTrustCopyCertificateChain(_ trust: SecTrust) -> CFArray? { fatalError() }
/// https://developer.apple.com/documentation/security/sectrustsetanchorcertificates(_:_:)
@discardableResult
public func SecTrustSetAnchorCertificates(_ trust: SecTrust, _ anchorCertificates: CFArray?) -> OSStatus { fatalError() }
/// https://developer.apple.com/documentation/security/sectrustsetanchorcertificatesonly(_:_:)
@discardableResult
public func SecTrustSetAnchorCertificatesOnly(_ trust: SecTrust, _ anchorCertificatesOnly: Bool) -> OSStatus { fatalError() }
/// https://developer.apple.com/documentation/security/sectrustsetpolicies(_:_:)
@discardableResult
public func SecTrustSetPolicies(_ trust: SecTrust, _ policies: CFTypeRef) -> OSStatus { fatalError() }
/// https://developer.apple.com/documentation/security/sectrustsetnetworkfetchallowed(_:_:)
@discardableResult
public func SecTrustSetNetworkFetchAllowed(_ trust: SecTrust, _ allowFetch: Bool) -> OSStatus { fatalError() }
/// https://developer.apple.com/documentation/security/sectrustcreatewithcertificates(_:_:_:)
public func SecTrustCreateWithCertificates(_ certificates: Any, _ policies: CFTypeRef?, _ trust: UnsafeMutablePointer<SecTrust?>) -> OSStatus { fatalError() }
/// https://developer.apple.com/documentation/security/sectrustsetverifydate(_:_:)
@discardableResult
public func SecTrustSetVerifyDate(_ trust: SecTrust, _ verifyDate: CFDate) -> OSStatus { fatalError() }
/// https://developer.apple.com/documentation/security/secpolicycreatessl(_:_:)
public func SecPolicyCreateSSL(_ server: Bool, _ hostname: CFString?) -> SecPolicy { fatalError() }
/// https://developer.apple.com/documentation/security/seccertificatecreatewithdata(_:_:)
public func SecCertificateCreateWithData(_ allocator: CFAllocator?, _ data: CFData) -> SecCertificate? { fatalError() }
/// https://developer.apple.com/documentation/security/seccertificatecopydata(_:)
public func SecCertificateCopyData(_ certificate: SecCertificate) -> CFData { fatalError() }
/// https://developer.apple.com/documentation/security/secidentitygettypeid()
public func SecIdentityGetTypeID() -> CFTypeID { fatalError() }
/// https://developer.apple.com/documentation/security/secpkcs12import(_:_:_:)
public func SecPKCS12Import(_ pkcs12_data: CFData, _ options: CFDictionary, _ items: UnsafeMutablePointer<CFArray?>) -> OSStatus { fatalError() }
public let kSecImportExportPassphrase: CFString = ""
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) public let kSecImportToMemoryOnly: CFString = ""
public let kSecImportItemIdentity: CFString = ""
public let kSecImportItemCertChain: CFString = ""

// The results of an evaluation: https://developer.apple.com/documentation/security/security-framework-result-codes
public var errSecCertificateExpired: OSStatus { -67818 }
public var errSecCertificateNotValidYet: OSStatus { -67819 }
public var errSecHostNameMismatch: OSStatus { -67602 }
public var errSecNotTrusted: OSStatus { -67843 }
public var errSecCertificateRevoked: OSStatus { -67820 }

/// https://developer.apple.com/documentation/security/tls_protocol_version_t
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *) public enum tls_protocol_version_t: UInt16, Sendable {
  case TLSv10 = 0x0301, TLSv11 = 0x0302, TLSv12 = 0x0303, TLSv13 = 0x0304, DTLSv10 = 0xFEFF, DTLSv12 = 0xFEFD
}
/// https://developer.apple.com/documentation/security/tls_ciphersuite_t
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *) public enum tls_ciphersuite_t: UInt16, Sendable {
  case RSA_WITH_AES_128_GCM_SHA256 = 0x009C, RSA_WITH_AES_256_GCM_SHA384 = 0x009D
  case AES_128_GCM_SHA256 = 0x1301, AES_256_GCM_SHA384 = 0x1302, CHACHA20_POLY1305_SHA256 = 0x1303
  case ECDHE_ECDSA_WITH_AES_128_GCM_SHA256 = 0xC02B, ECDHE_ECDSA_WITH_AES_256_GCM_SHA384 = 0xC02C
  case ECDHE_RSA_WITH_AES_128_GCM_SHA256 = 0xC02F, ECDHE_RSA_WITH_AES_256_GCM_SHA384 = 0xC030
  case ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256 = 0xCCA8, ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256 = 0xCCA9
}
