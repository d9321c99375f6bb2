/// One 8-byte word of the tape: the kind of a value, the offset of its bytes, and their length.
///
/// Layout, from the low end: 32 bits of byte offset, 28 bits of length, 4 bits of tag. For a container the
/// length field is the number of its children, and a second word follows: 32 bits of the tape index after
/// its last descendant (the skip link, which makes iteration over siblings O(children)), 31 bits of the
/// byte offset after its closing bracket, and ``distinctNames``. The children of an object are pairs of a string word and a value.
struct RawNode {
  /// The kind of a value. The parser distinguishes integers from other numbers, and strings with escapes
  /// from those without, so that leaves can be read faster.
  enum Tag: UInt8, CaseIterable {
    case null, `false`, `true`, integer, number, string, escapedString, array, object
  }

  let word: UInt64

  /// The largest value of the 28-bit field: the longest string, and the largest count stored directly.
  static let lengthLimit = (1 << 28) - 1

  /// The bit in the second word of an object whose names are known to differ. It has no names with escapes and no arrays, and
  /// at most `RawIndexes.threshold` members; unless it is the first of an array, the element before it is an object with the
  /// same names at the same places. An object without the bit may be such a one too.
  static let distinctNames: UInt64 = 1 << 63

  @inline(__always)
  init(word: UInt64) { self.word = word }

  @inline(__always)
  init(_ tag: Tag, offset: Int, length: Int) {
    word =
      UInt64(tag.rawValue) << 60 | UInt64(truncatingIfNeeded: length) << 32
      | UInt64(truncatingIfNeeded: offset)
  }

  /// The tag. Every word that is read as a node was written by `init(_:offset:length:)`, so its four bits
  /// are one of the cases. A case is its raw value in memory; `init(rawValue:)` would be a call with a table.
  @inline(__always)
  var tag: Tag { unsafeBitCast(UInt8(truncatingIfNeeded: word >> 60), to: Tag.self) }

  @inline(__always)
  var offset: Int { Int(word & 0xFFFF_FFFF) }

  @inline(__always)
  var length: Int { Int((word >> 32) & 0xFFF_FFFF) }

  /// The bytes of the node within those of its document.
  @inline(__always)
  func text(in bytes: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(rebasing: bytes[offset..<offset + length])
  }

  @inline(__always)
  var isContainer: Bool { word >> 60 >= UInt64(Tag.array.rawValue) }

  /// Whether it is a string without escapes of this length: both at once.
  @inline(__always)
  func isString(length: Int) -> Bool { Int(word >> 32) == Int(Tag.string.rawValue) << 28 + length }

  /// Whether a string has this length or has escapes: only their tag has the second bit.
  @inline(__always)
  func mayBeString(length: Int) -> Bool { isString(length: length) || word >> 61 & 1 != 0 }

  @inline(__always)
  var isString: Bool { tag == .string || tag == .escapedString }
}
