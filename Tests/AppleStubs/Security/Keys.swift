// swift-format-ignore-file
// Security/SecKey.h, https://developer.apple.com/documentation/security/keys
public import FoundationEssentials

public final class SecKey {}
public let kSecAttrKeyType: CFString = ""
public let kSecAttrKeyTypeRSA: CFString = ""
public let kSecAttrKeyClass: CFString = ""
public let kSecAttrKeyClassPrivate: CFString = ""
public let kSecAttrKeyClassPublic: CFString = ""
/// https://developer.apple.com/documentation/security/seckeyalgorithm
@available(macOS 10.12, iOS 10, tvOS 10, watchOS 3, *) public struct SecKeyAlgorithm: Hashable, Sendable {
  @available(macOS 10.13, iOS 11, tvOS 11, watchOS 4, *) public static let rsaSignatureMessagePSSSHA512 = SecKeyAlgorithm()
  public static let rsaSignatureMessagePKCS1v15SHA256 = SecKeyAlgorithm()
}
/// https://developer.apple.com/documentation/security/seckeycreatewithdata(_:_:_:)
@available(macOS 10.12, iOS 10, tvOS 10, watchOS 3, *) public func SecKeyCreateWithData(_ keyData: CFData, _ attributes: CFDictionary, _ error: UnsafeMutablePointer<CFError?>?) -> SecKey? { fatalError() }
/// https://developer.apple.com/documentation/security/seckeycopypublickey(_:)
@available(macOS 10.12, iOS 10, tvOS 10, watchOS 3, *) public func SecKeyCopyPublicKey(_ key: SecKey) -> SecKey? { fatalError() }
/// https://developer.apple.com/documentation/security/seckeygetblocksize(_:)
public func SecKeyGetBlockSize(_ key: SecKey) -> Int { fatalError() }
/// https://developer.apple.com/documentation/security/seckeycreatesignature(_:_:_:_:)
@available(macOS 10.12, iOS 10, tvOS 10, watchOS 3, *) public func SecKeyCreateSignature(_ key: SecKey, _ algorithm: SecKeyAlgorithm, _ dataToSign: CFData, _ error: UnsafeMutablePointer<CFError?>?) -> CFData? { fatalError() }
/// https://developer.apple.com/documentation/security/seckeyverifysignature(_:_:_:_:_:)
@available(macOS 10.12, iOS 10, tvOS 10, watchOS 3, *) public func SecKeyVerifySignature(_ key: SecKey, _ algorithm: SecKeyAlgorithm, _ signedData: CFData, _ signature: CFData, _ error: UnsafeMutablePointer<CFError?>?) -> Bool { fatalError() }
