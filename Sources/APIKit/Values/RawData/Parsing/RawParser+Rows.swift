// The objects of an array mostly have the same names in the same order, so each name is first compared with that of the row
// before: that is faster than to look for its end, and tells which rows have the same names.
extension RawParser {
  /// Where a row was left.
  struct RowEnd {
    enum Place {
      /// Before a name, after a comma or the opening brace.
      case name
      /// Before a value, whose name is counted.
      case value
      /// After the closing brace: the row is complete.
      case end
    }

    let index: Int
    /// The number of members.
    let count: Int
    let place: Place
  }

  /// Parses the first members of the object that was opened last, as long as their names are those of the row before and
  /// their values are leaves. In any other case the caller continues, and finds the fault if there is one.
  @inline(never)
  mutating func members(like row: Int, from start: Int) -> RowEnd {
    let (source, base, end) = (source, source.base, source.end)
    let object = count - 2
    let rowEnd = Int(tape[row + 1] & 0xFFFF_FFFF)
    var i = start
    var children = 0
    var expected = row + 2
    while expected < rowEnd {
      let node = RawNode(word: tape[expected])
      let colon = i + node.length + 2
      guard node.tag == .string, colon + 1 < end, base[colon - 1] == UInt8(ascii: "\""),
        base[colon] == UInt8(ascii: ":"), base[colon + 1] > 0x20,
        sameBytes(base + node.offset - 1, base + i, count: node.length + 1)
      else { break }
      reserve()
      write(RawNode(.string, offset: i + 1, length: node.length).word)
      i = colon + 1
      children += 1
      let value = i
      // What is no leaf, or has a fault, is left to the caller.
      let left = RowEnd(index: value, count: children, place: .value)
      switch base[i] {
      case UInt8(ascii: "\""): if string(&i) != nil { return left }
      case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): if number(&i) != nil { return left }
      case UInt8(ascii: "t"):
        guard source.literal(i, 0x6575_7274, length: 4) else { return left }
        write(RawNode(.true, offset: i, length: 4).word)
        i += 4
      case UInt8(ascii: "f"):
        guard i + 5 <= end, source.literal(i + 1, 0x6573_6C61, length: 4) else { return left }
        write(RawNode(.false, offset: i, length: 5).word)
        i += 5
      case UInt8(ascii: "n"):
        guard source.literal(i, 0x6C6C_756E, length: 4) else { return left }
        write(RawNode(.null, offset: i, length: 4).word)
        i += 4
      default: return left
      }
      expected =
        RawNode(word: tape[expected + 1]).isContainer ? Int(tape[expected + 2] & 0xFFFF_FFFF) : expected + 2
      source.skipSpace(&i)
      if i < end, base[i] == UInt8(ascii: ",") {
        i += 1
        source.skipSpace(&i)
        continue
      }
      guard i < end, base[i] == UInt8(ascii: "}") else {
        count -= 1
        return left
      }
      let isAlike = expected == rowEnd && haveDistinctNames(object, row, children)
      close(object, children, end: i + 1, hasDistinctNames: isAlike)
      return RowEnd(index: i + 1, count: children, place: .end)
    }
    return RowEnd(index: i, count: children, place: .name)
  }

  /// Writes the final words of a row, and notes in those of its array, which is open, that it is the last.
  private mutating func close(_ object: Int, _ children: Int, end: Int, hasDistinctNames: Bool) {
    let array = Int(tape[object + 1])
    tape[object] =
      RawNode(.object, offset: Int(tape[object]), length: min(children, RawNode.lengthLimit)).word
    tape[object + 1] =
      (hasDistinctNames ? RawNode.distinctNames : 0) | UInt64(end) << 32 | UInt64(count)
    tape[array + 1] = UInt64(object) << 32 | tape[array + 1] & 0xFFFF_FFFF
  }

  /// Whether an object, whose names are those of the row before, has none of them twice; false for one that is large, has
  /// arrays or objects, or does not stand directly behind that row. The names of the first row are compared with one another,
  /// unless a document has a row with repeats.
  private mutating func haveDistinctNames(_ object: Int, _ row: Int, _ children: Int) -> Bool {
    let words = children * 2 + 2
    guard children <= RawIndexes.threshold, count - object == words, object - row == words,
      Int(tape[row + 1] & 0xFFFF_FFFF) == object
    else { return false }
    if tape[row + 1] & RawNode.distinctNames != 0 { return true }
    guard !hasRepeats else { return false }
    hasRepeats = !namesAreDistinct(row, words)
    // Any other row has the bit only if its names are those of the row before.
    let array = Int(tape[object + 1] & 0xFFFF_FFFF)
    if !hasRepeats, row == array + 2 { tape[row + 1] |= RawNode.distinctNames }
    return !hasRepeats
  }

  private func namesAreDistinct(_ object: Int, _ words: Int) -> Bool {
    for index in stride(from: object + 4, to: object + words, by: 2) {
      let name = RawNode(word: tape[index])
      for other in stride(from: object + 2, to: index, by: 2) {
        let other = RawNode(word: tape[other])
        if name.word >> 32 == other.word >> 32,
          sameBytes(source.base + name.offset, source.base + other.offset, count: name.length)
        {
          return false
        }
      }
    }
    return true
  }
}
