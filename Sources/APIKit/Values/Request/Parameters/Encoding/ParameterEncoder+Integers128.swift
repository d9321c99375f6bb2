// As `Integers128.swift` has it of decoding.

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension ParameterNode {
  func encode(_ value: Int128) throws { try set(value) }
  func encode(_ value: UInt128) throws { try set(value) }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension ParameterNode.Keyed {
  func encode(_ value: Int128, forKey key: Key) throws { try node.member(key).set(value) }
  func encode(_ value: UInt128, forKey key: Key) throws { try node.member(key).set(value) }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension ParameterNode.Unkeyed {
  func encode(_ value: Int128) throws { try node.append().set(value) }
  func encode(_ value: UInt128) throws { try node.append().set(value) }
}
