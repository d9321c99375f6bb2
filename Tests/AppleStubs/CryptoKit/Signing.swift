// swift-format-ignore-file
// The interface of the module CryptoKit, https://developer.apple.com/documentation/cryptokit/curve25519/signing
public import FoundationEssentials

@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
public enum Curve25519 {
  public enum Signing {
    public struct PublicKey: Sendable {
      public init<D: ContiguousBytes>(rawRepresentation data: D) throws { fatalError() }
      public func isValidSignature<S: DataProtocol, D: DataProtocol>(_ signature: S, for data: D) -> Bool { fatalError() }
    }
    public struct PrivateKey: Sendable {
      public init<D: ContiguousBytes>(rawRepresentation data: D) throws { fatalError() }
      public var publicKey: PublicKey { fatalError() }
      public func signature<D: DataProtocol>(for data: D) throws -> Data { fatalError() }
    }
  }
}
/// https://developer.apple.com/documentation/cryptokit/p256/signing
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
public enum P256 {
  public enum Signing {
    public struct ECDSASignature: Sendable {
      public init<D: DataProtocol>(rawRepresentation: D) throws { fatalError() }
      public var rawRepresentation: Data { fatalError() }
    }
    public struct PublicKey: Sendable {
      @available(macOS 11, iOS 14, tvOS 14, watchOS 7, *) public init<Bytes: RandomAccessCollection>(derRepresentation: Bytes) throws where Bytes.Element == UInt8 { fatalError() }
      public func isValidSignature<D: DataProtocol>(_ signature: ECDSASignature, for data: D) -> Bool { fatalError() }
    }
    public struct PrivateKey: Sendable {
      @available(macOS 11, iOS 14, tvOS 14, watchOS 7, *) public init<Bytes: RandomAccessCollection>(derRepresentation: Bytes) throws where Bytes.Element == UInt8 { fatalError() }
      public var publicKey: PublicKey { fatalError() }
      public func signature<D: DataProtocol>(for data: D) throws -> ECDSASignature { fatalError() }
    }
  }
}
/// https://developer.apple.com/documentation/cryptokit/p384/signing
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
public enum P384 {
  public enum Signing {
    public struct ECDSASignature: Sendable {
      public init<D: DataProtocol>(rawRepresentation: D) throws { fatalError() }
      public var rawRepresentation: Data { fatalError() }
    }
    public struct PublicKey: Sendable {
      @available(macOS 11, iOS 14, tvOS 14, watchOS 7, *) public init<Bytes: RandomAccessCollection>(derRepresentation: Bytes) throws where Bytes.Element == UInt8 { fatalError() }
      public func isValidSignature<D: DataProtocol>(_ signature: ECDSASignature, for data: D) -> Bool { fatalError() }
    }
    public struct PrivateKey: Sendable {
      @available(macOS 11, iOS 14, tvOS 14, watchOS 7, *) public init<Bytes: RandomAccessCollection>(derRepresentation: Bytes) throws where Bytes.Element == UInt8 { fatalError() }
      public var publicKey: PublicKey { fatalError() }
      public func signature<D: DataProtocol>(for data: D) throws -> ECDSASignature { fatalError() }
    }
  }
}
