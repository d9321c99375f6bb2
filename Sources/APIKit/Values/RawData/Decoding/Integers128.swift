// The integers of 128 bits, which Apple's systems have from iOS 18 and macOS 15 on. Without these members the defaults of the
// coding protocols are used, which refuse.

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension Int128: RawLeaf {}
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension UInt128: RawLeaf {}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension RawDecoder {
  func decode(_ type: Int128.Type) throws -> Int128 { try session.leaf(type, at: code) }
  func decode(_ type: UInt128.Type) throws -> UInt128 { try session.leaf(type, at: code) }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension RawKeyedContainer {
  func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try leaf(type, key) }
  func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try leaf(type, key) }
  func decodeIfPresent(_ type: Int128.Type, forKey key: Key) throws -> Int128? { try optional(type, key) }
  func decodeIfPresent(_ type: UInt128.Type, forKey key: Key) throws -> UInt128? { try optional(type, key) }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension RawUnkeyedContainer {
  mutating func decode(_ type: Int128.Type) throws -> Int128 { try next(type) { try $0.leaf(type, at: $1) } }
  mutating func decode(_ type: UInt128.Type) throws -> UInt128 {
    try next(type) { try $0.leaf(type, at: $1) }
  }
}
