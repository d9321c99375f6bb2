// swift-format-ignore-file
// The interface of the module CryptoKit, https://developer.apple.com/documentation/cryptokit/aes/gcm
public import FoundationEssentials

/// https://developer.apple.com/documentation/cryptokit/symmetrickey
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
public struct SymmetricKey: ContiguousBytes, Equatable, Sendable {
  public init<D: ContiguousBytes>(data: D) {}
  public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R { fatalError() }
}
/// https://developer.apple.com/documentation/cryptokit/hmac
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
public struct HMAC<H: HashFunction>: Sendable {
  public typealias MAC = HashedAuthenticationCode<H>
  public static func authenticationCode<D: DataProtocol>(for data: D, using key: SymmetricKey) -> MAC { fatalError() }
}
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
public struct HashedAuthenticationCode<H: HashFunction>: ContiguousBytes, Hashable, Sendable, Sequence {
  public func makeIterator() -> Array<UInt8>.Iterator { fatalError() }
  public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R { fatalError() }
}
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
public enum AES {
  public enum GCM {
    public struct Nonce: ContiguousBytes, Sequence, Sendable {
      public init<D: DataProtocol>(data: D) throws {}
      public func makeIterator() -> Array<UInt8>.Iterator { fatalError() }
      public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R { fatalError() }
    }
    public struct SealedBox: Sendable {
      public init<C: DataProtocol, T: DataProtocol>(nonce: Nonce, ciphertext: C, tag: T) throws {}
      public var tag: Data { fatalError() }
      public var ciphertext: Data { fatalError() }
    }
    public static func seal<Plaintext: DataProtocol, AuthenticatedData: DataProtocol>(
      _ message: Plaintext, using key: SymmetricKey, nonce: Nonce? = nil, authenticating authenticatedData: AuthenticatedData
    ) throws -> SealedBox { fatalError() }
    public static func open<AuthenticatedData: DataProtocol>(
      _ sealedBox: SealedBox, using key: SymmetricKey, authenticating authenticatedData: AuthenticatedData
    ) throws -> Data { fatalError() }
  }
}
