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

  /// How deep objects within a row are compared with those of the row before.
  static let deepestRow = 4

  /// Parses the first members of the object that was opened last, as long as their names are those of the row before and
  /// their values are leaves, or objects like those of that row. In any other case the caller continues, and finds the fault
  /// if there is one.
  ///
  /// - Parameters:
  ///   - row: The tape index of the object to compare with.
  ///   - levels: How many objects may stand within one another there.
  ///   - isWithin: Whether it is an object within a row.
  @inline(never)
  mutating func members(like row: Int, from start: Int, levels: Int, isWithin: Bool = false) -> RowEnd {
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
      let (value, written) = (i, count)
      // What is neither a leaf nor such an object, or has a fault, is left to the caller.
      let left = RowEnd(index: value, count: children, place: .value)
      switch base[i] {
      case UInt8(ascii: "\""): if string(&i) != nil { return left }
      case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): if number(&i) != nil { return left }
      case UInt8(ascii: "t"):
        guard source.literal(i, 0x6575_7274) else { return left }
        write(RawNode(.true, offset: i, length: 4).word)
        i += 4
      case UInt8(ascii: "f"):
        guard source.literal(i + 1, 0x6573_6C61) else { return left }
        write(RawNode(.false, offset: i, length: 5).word)
        i += 5
      case UInt8(ascii: "n"):
        guard source.literal(i, 0x6C6C_756E) else { return left }
        write(RawNode(.null, offset: i, length: 4).word)
        i += 4
      case UInt8(ascii: "{"):
        guard levels > 0, RawNode(word: tape[expected + 1]).tag == .object else { return left }
        write(UInt64(i))
        write(UInt64(object))
        i += 1
        source.skipSpace(&i)
        let innerEnd = members(like: expected + 1, from: i, levels: levels - 1, isWithin: true)
        guard innerEnd.place == .end else {
          count = written
          return left
        }
        i = innerEnd.index
      default: return left
      }
      expected = name(after: expected)
      source.skipSpace(&i)
      if i < end, base[i] == UInt8(ascii: ",") {
        i += 1
        source.skipSpace(&i)
        continue
      }
      guard i < end, base[i] == UInt8(ascii: "}") else {
        count = written
        return left
      }
      // No value has more words than that of the row before: where all have as many, each stands at the same place.
      let isAlike = expected == rowEnd && count - object == rowEnd - row
      let hasDistinctNames = isAlike && haveDistinctNames(object, row, children)
      close(object, children, end: i + 1, hasDistinctNames: hasDistinctNames, isWithin: isWithin)
      return RowEnd(index: i + 1, count: children, place: .end)
    }
    return RowEnd(index: i, count: children, place: .name)
  }

  /// Writes the final words of an object, and notes in those of its array, which is open, that it is the last row.
  private mutating func close(
    _ object: Int, _ children: Int, end: Int, hasDistinctNames: Bool, isWithin: Bool
  ) {
    let parent = Int(tape[object + 1])
    tape[object] =
      RawNode(.object, offset: Int(tape[object]), length: min(children, RawNode.lengthLimit)).word
    tape[object + 1] =
      (hasDistinctNames ? RawNode.distinctNames : 0) | UInt64(end) << 32 | UInt64(count)
    if !isWithin { tape[parent + 1] = UInt64(object) << 32 | tape[parent + 1] & 0xFFFF_FFFF }
  }

  /// Whether a row that is like the row before has no name twice; false for one that is large, or does not stand directly
  /// behind that row. The names of the first row are compared with one another, unless a document has a row with repeats.
  private mutating func haveDistinctNames(_ object: Int, _ row: Int, _ children: Int) -> Bool {
    guard children <= RawIndexes.threshold, Int(tape[row + 1] & 0xFFFF_FFFF) == object else { return false }
    if tape[row + 1] & RawNode.distinctNames != 0 { return true }
    guard !hasRepeats else { return false }
    hasRepeats = !namesAreDistinct(row)
    // Any other row has the bit only if its names are those of the row before.
    let array = Int(tape[object + 1] & 0xFFFF_FFFF)
    if !hasRepeats, row == array + 2 { tape[row + 1] |= RawNode.distinctNames }
    return !hasRepeats
  }

  private func namesAreDistinct(_ object: Int) -> Bool {
    let end = Int(tape[object + 1] & 0xFFFF_FFFF)
    var index = object + 2
    while index < end {
      let name = RawNode(word: tape[index])
      var earlier = object + 2
      while earlier < index {
        let other = RawNode(word: tape[earlier])
        if name.word >> 32 == other.word >> 32,
          sameBytes(source.base + name.offset, source.base + other.offset, count: name.length)
        {
          return false
        }
        earlier = self.name(after: earlier)
      }
      index = self.name(after: index)
    }
    return true
  }

  /// The tape index after a member of a complete object, whose name is at an index.
  @inline(__always)
  private func name(after name: Int) -> Int {
    RawNode(word: tape[name + 1]).isContainer ? Int(tape[name + 2] & 0xFFFF_FFFF) : name + 2
  }
}
