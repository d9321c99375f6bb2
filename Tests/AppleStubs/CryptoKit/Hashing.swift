// swift-format-ignore-file
// The interface of the module CryptoKit, https://developer.apple.com/documentation/cryptokit/hashfunction
public import FoundationEssentials

@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
public protocol Digest: ContiguousBytes, CustomStringConvertible, Hashable, Sendable, Sequence where Element == UInt8 {
  static var byteCount: Int { get }
}
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
public struct SHA256Digest: Digest {
  public static var byteCount: Int { 32 }
  public var description: String { fatalError() }
  public func makeIterator() -> Array<UInt8>.Iterator { fatalError() }
  public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R { fatalError() }
}
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
public protocol HashFunction: Sendable {
  associatedtype Digest: CryptoKit.Digest
  init()
  mutating func update(bufferPointer: UnsafeRawBufferPointer)
  func finalize() -> Digest
}
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
extension HashFunction {
  public static func hash<D: DataProtocol>(data: D) -> Digest { fatalError() }
  public mutating func update<D: DataProtocol>(data: D) { fatalError() }
}
/// https://developer.apple.com/documentation/cryptokit/sha256
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
public struct SHA256: HashFunction {
  public init() {}
  public mutating func update(bufferPointer: UnsafeRawBufferPointer) { fatalError() }
  public func finalize() -> SHA256Digest { fatalError() }
}
/// https://developer.apple.com/documentation/cryptokit/sha512
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
public struct SHA512: HashFunction {
  public init() {}
  public mutating func update(bufferPointer: UnsafeRawBufferPointer) { fatalError() }
  public func finalize() -> SHA256Digest { fatalError() }
}
/// https://developer.apple.com/documentation/cryptokit/insecure
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
public enum Insecure {
  public struct MD5: HashFunction {
    public init() {}
    public mutating func update(bufferPointer: UnsafeRawBufferPointer) { fatalError() }
    public func finalize() -> SHA256Digest { fatalError() }
  }
  public struct SHA1: HashFunction {
    public init() {}
    public mutating func update(bufferPointer: UnsafeRawBufferPointer) { fatalError() }
    public func finalize() -> SHA256Digest { fatalError() }
  }
}
