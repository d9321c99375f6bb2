// swift-format-ignore-file
// https://developer.apple.com/documentation/cryptokit/curve25519/signing
public import FoundationEssentials

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
public enum P256 {
  public enum Signing {
    public struct ECDSASignature: Sendable {
      public init<D: DataProtocol>(rawRepresentation: D) throws { fatalError() }
      public var rawRepresentation: Data { fatalError() }
    }
    public struct PublicKey: Sendable {
      public init<Bytes: RandomAccessCollection>(derRepresentation: Bytes) throws where Bytes.Element == UInt8 { fatalError() }
      public func isValidSignature<D: DataProtocol>(_ signature: ECDSASignature, for data: D) -> Bool { fatalError() }
    }
    public struct PrivateKey: Sendable {
      public init<Bytes: RandomAccessCollection>(derRepresentation: Bytes) throws where Bytes.Element == UInt8 { fatalError() }
      public var publicKey: PublicKey { fatalError() }
      public func signature<D: DataProtocol>(for data: D) throws -> ECDSASignature { fatalError() }
    }
  }
}
/// https://developer.apple.com/documentation/cryptokit/p384/signing
public enum P384 {
  public enum Signing {
    public struct ECDSASignature: Sendable {
      public init<D: DataProtocol>(rawRepresentation: D) throws { fatalError() }
      public var rawRepresentation: Data { fatalError() }
    }
    public struct PublicKey: Sendable {
      public init<Bytes: RandomAccessCollection>(derRepresentation: Bytes) throws where Bytes.Element == UInt8 { fatalError() }
      public func isValidSignature<D: DataProtocol>(_ signature: ECDSASignature, for data: D) -> Bool { fatalError() }
    }
    public struct PrivateKey: Sendable {
      public init<Bytes: RandomAccessCollection>(derRepresentation: Bytes) throws where Bytes.Element == UInt8 { fatalError() }
      public var publicKey: PublicKey { fatalError() }
      public func signature<D: DataProtocol>(for data: D) throws -> ECDSASignature { fatalError() }
    }
  }
}
