// swift-format-ignore-file
// https://developer.apple.com/documentation/cryptokit/hashfunction
public import FoundationEssentials

public protocol Digest: ContiguousBytes, CustomStringConvertible, Hashable, Sendable, Sequence where Element == UInt8 {
  static var byteCount: Int { get }
}
public struct SHA256Digest: Digest {
  public static var byteCount: Int { 32 }
  public var description: String { fatalError() }
  public func makeIterator() -> Array<UInt8>.Iterator { fatalError() }
  public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R { fatalError() }
}
public protocol HashFunction: Sendable {
  associatedtype Digest: CryptoKit.Digest
  init()
  mutating func update(bufferPointer: UnsafeRawBufferPointer)
  func finalize() -> Digest
}
extension HashFunction {
  public static func hash<D: DataProtocol>(data: D) -> Digest { fatalError() }
  public mutating func update<D: DataProtocol>(data: D) { fatalError() }
}
/// https://developer.apple.com/documentation/cryptokit/sha256
public struct SHA256: HashFunction {
  public init() {}
  public mutating func update(bufferPointer: UnsafeRawBufferPointer) { fatalError() }
  public func finalize() -> SHA256Digest { fatalError() }
}
/// https://developer.apple.com/documentation/cryptokit/sha512
public struct SHA512: HashFunction {
  public init() {}
  public mutating func update(bufferPointer: UnsafeRawBufferPointer) { fatalError() }
  public func finalize() -> SHA256Digest { fatalError() }
}
/// https://developer.apple.com/documentation/cryptokit/insecure
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
