// swift-format-ignore-file
// https://developer.apple.com/documentation/security/keys
public final class SecKey {}
public let kSecAttrKeyType: CFString = ""
public let kSecAttrKeyTypeRSA: CFString = ""
public let kSecAttrKeyClass: CFString = ""
public let kSecAttrKeyClassPrivate: CFString = ""
public let kSecAttrKeyClassPublic: CFString = ""
/// https://developer.apple.com/documentation/security/seckeyalgorithm
public struct SecKeyAlgorithm: Hashable, Sendable {
  public static let rsaSignatureMessagePSSSHA512 = SecKeyAlgorithm()
  public static let rsaSignatureMessagePKCS1v15SHA256 = SecKeyAlgorithm()
}
/// https://developer.apple.com/documentation/security/seckeycreatewithdata(_:_:_:)
public func SecKeyCreateWithData(_ keyData: CFData, _ attributes: CFDictionary, _ error: UnsafeMutablePointer<CFError?>?) -> SecKey? { fatalError() }
/// https://developer.apple.com/documentation/security/seckeycopypublickey(_:)
public func SecKeyCopyPublicKey(_ key: SecKey) -> SecKey? { fatalError() }
/// https://developer.apple.com/documentation/security/seckeygetblocksize(_:)
public func SecKeyGetBlockSize(_ key: SecKey) -> Int { fatalError() }
/// https://developer.apple.com/documentation/security/seckeycreatesignature(_:_:_:_:)
public func SecKeyCreateSignature(_ key: SecKey, _ algorithm: SecKeyAlgorithm, _ dataToSign: CFData, _ error: UnsafeMutablePointer<CFError?>?) -> CFData? { fatalError() }
/// https://developer.apple.com/documentation/security/seckeyverifysignature(_:_:_:_:_:)
public func SecKeyVerifySignature(_ key: SecKey, _ algorithm: SecKeyAlgorithm, _ signedData: CFData, _ signature: CFData, _ error: UnsafeMutablePointer<CFError?>?) -> Bool { fatalError() }
