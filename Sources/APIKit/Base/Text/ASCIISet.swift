/// A set of ASCII characters with a fast test for each byte of a text.
package struct ASCIISet: Sendable, Hashable {
  @usableFromInline let low: UInt64
  @usableFromInline let high: UInt64

  package init(_ characters: some Sequence<UInt8>) {
    var sets: (low: UInt64, high: UInt64) = (0, 0)
    for byte in characters {
      if byte < 64 { sets.low |= 1 << UInt64(byte) } else { sets.high |= 1 << UInt64(byte - 64) }
    }
    (low, high) = sets
  }

  /// Contains letters, digits and these marks.
  package init(alphanumericsAnd marks: String) {
    self.init(("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789" + marks).utf8)
  }

  /// Contains all visible characters except these.
  init(visibleBut marks: String) {
    self.init((0x21...0x7E as ClosedRange<UInt8>).filter { !marks.utf8.contains($0) })
  }

  @inlinable @inline(__always)
  package func contains(_ byte: UInt8) -> Bool {
    switch byte {
    case 0..<64: low >> UInt64(byte) & 1 == 1
    case 64..<128: high >> UInt64(byte - 64) & 1 == 1
    default: false
    }
  }
}
