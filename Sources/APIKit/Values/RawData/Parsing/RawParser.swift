import Foundation

/// Parses JSON strictly by RFC 8259 in one pass, and writes the tape of `RawNode`.
///
/// There is no stack: while a container is open, its first word is the number of its children and its
/// second the tape index of its parent, and of an array's last object. Both get their final values when it closes.
struct RawParser {
  let source: Source
  private let maximumDepth: Int
  /// Allocated by `malloc`: `capacity` words, of which the first `count` are written.
  var tape: UnsafeMutablePointer<UInt64>
  private var capacity: Int
  var count = 0
  /// Whether an object was found that has a name twice.
  var hasRepeats = false

  private init(_ bytes: UnsafeBufferPointer<UInt8>, base: UnsafePointer<UInt8>, maximumDepth: Int) {
    source = Source(base: base, end: bytes.count)
    self.maximumDepth = maximumDepth
    // A typical list needs about one word per eight bytes. Much unused memory is returned at the end, and pages that
    // are never touched cost nothing.
    capacity = bytes.count / 7 + 16
    tape = Self.reallocate(nil, capacity)
  }

  /// Parses a document.
  static func parse(
    _ bytes: [UInt8], _ limits: RawData.Limits, isXML: Bool = false
  ) throws(APIError) -> RawDocument {
    try limits.check(bytes)
    return try bytes.withUnsafeBufferPointer { (buffer) throws(APIError) in
      guard let base = buffer.baseAddress else { throw RawFault.at(0, .empty).error(in: bytes, limits) }
      // Few are nested deep. To know which, they are parsed anew: the loop has no register to spare, and a count of the
      // depth there costs a third of its speed.
      var depthLimit = min(limits.depth, DeepStack.shallowDepth)
      var parser = RawParser(buffer, base: base, maximumDepth: depthLimit)
      var fault = parser.run()
      if fault?.reason == .tooDeep, depthLimit < limits.depth {
        free(parser.tape)
        depthLimit = limits.depth
        parser = RawParser(buffer, base: base, maximumDepth: depthLimit)
        fault = parser.run()
      }
      if let fault {
        free(parser.tape)
        throw fault.error(in: bytes, limits)
      }
      let isLoose = parser.capacity - parser.count > parser.count / 8
      let tape = isLoose ? reallocate(parser.tape, parser.count) : parser.tape
      return RawDocument(
        bytes: bytes, base: base, tape: tape, wordCount: parser.count, depthLimit: depthLimit, isXML: isXML)
    }
  }

  private static func reallocate(
    _ tape: UnsafeMutablePointer<UInt64>?, _ words: Int
  ) -> UnsafeMutablePointer<UInt64> {
    guard let memory = realloc(tape, words * MemoryLayout<UInt64>.stride) else {
      fatalError("out of memory for a tape of \(words) words")
    }
    return memory.assumingMemoryBound(to: UInt64.self)
  }

  @inline(never)
  private mutating func grow() {
    capacity += capacity / 2 + 16
    tape = Self.reallocate(tape, capacity)
  }

  /// Writes one word. After `reserve` there is room for three.
  @inline(__always)
  mutating func write(_ word: UInt64) {
    tape[count] = word
    count += 1
  }

  /// Makes room for a child of a container: its name, and two words of its value.
  @inline(__always)
  mutating func reserve() {
    if count + 3 > capacity { grow() }
  }
}

// MARK: The grammar

extension RawParser {
  /// Parses the document. Returns the fault, or nil when the document is valid.
  private mutating func run() -> RawFault? {
    let (source, base, end) = (source, source.base, source.end)
    var i = 0
    var depth = 0
    /// The tape index of the open container, and its number of children so far.
    var parent = 0
    var children = 0
    var inObject = false

    if end >= 3, base[0] == 0xEF, base[1] == 0xBB, base[2] == 0xBF { i = 3 }
    source.skipSpace(&i)

    values: while true {
      // A value starts at `i`.
      guard i < end else { return .at(i, depth == 0 ? .empty : .unexpectedEnd) }
      switch base[i] {
      case UInt8(ascii: "\""):
        if let fault = string(&i) { return fault }

      case UInt8(ascii: "{"), UInt8(ascii: "["):
        guard depth < maximumDepth else { return .at(i, .tooDeep) }
        if depth > 0 { suspend(parent, children, isObject: inObject) }
        let grandparent = parent
        inObject = base[i] == UInt8(ascii: "{")
        parent = count
        write(UInt64(i))
        write(UInt64(grandparent))
        depth += 1
        children = 0
        i += 1
        source.skipSpace(&i)
        guard i < end else { return .at(i, .unexpectedEnd) }
        if base[i] == (inObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) { break }
        let row = inObject ? Int(tape[grandparent + 1] >> 32) : 0
        if row > 0 {
          let left = members(like: row, from: i, levels: min(maximumDepth - depth, Self.deepestRow))
          i = left.index
          children = left.count
          if left.place == .value { continue values }
          if left.place == .end {
            // The row is closed, and its array is the open container again.
            depth -= 1
            parent = grandparent
            children = Int((tape[parent] >> 32) & 0x7FFF_FFFF)
            inObject = false
            break
          }
        }
        reserve()
        if inObject, let fault = name(&i) { return fault }
        children += 1
        continue values

      case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
        if let fault = number(&i) { return fault }

      case UInt8(ascii: "t"):
        guard source.literal(i, 0x6575_7274) else { return .at(i, .unexpectedCharacter) }
        write(RawNode(.true, offset: i, length: 4).word)
        i += 4

      case UInt8(ascii: "f"):
        guard source.literal(i + 1, 0x6573_6C61) else { return .at(i, .unexpectedCharacter) }
        write(RawNode(.false, offset: i, length: 5).word)
        i += 5

      case UInt8(ascii: "n"):
        guard source.literal(i, 0x6C6C_756E) else { return .at(i, .unexpectedCharacter) }
        write(RawNode(.null, offset: i, length: 4).word)
        i += 4

      default: return .at(i, .unexpectedCharacter)
      }

      // A value is complete, or an empty container is about to close.
      while depth > 0 {
        source.skipSpace(&i)
        guard i < end else { return .at(i, .unexpectedEnd) }
        let byte = base[i]
        if byte == UInt8(ascii: ",") {
          i += 1
          source.skipSpace(&i)
          children += 1
          reserve()
          if inObject, let fault = name(&i) { return fault }
          continue values
        }
        guard byte == (inObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else {
          return .at(i, inObject ? .expectedCommaOrBrace : .expectedCommaOrBracket)
        }
        i += 1
        depth -= 1
        close(&parent, &children, isObject: &inObject, end: i, depth: depth)
      }

      source.skipSpace(&i)
      return i == end ? nil : .at(i, .trailing)
    }
  }

  /// Stores the state of a container while a child container is open: its children and kind above its
  /// offset.
  @inline(__always)
  private mutating func suspend(_ container: Int, _ children: Int, isObject: Bool) {
    // Bit 63 is the kind, bits 32 to 62 the children; a document has less than 2^31 bytes.
    tape[container] =
      (tape[container] & 0xFFFF_FFFF) | UInt64(children) << 32 | (isObject ? 1 << 63 : 0)
  }

  /// Writes the final words of a container and resumes its parent.
  @inline(__always)
  private mutating func close(
    _ container: inout Int, _ children: inout Int, isObject: inout Bool, end: Int, depth: Int
  ) {
    let parent = Int(tape[container + 1] & 0xFFFF_FFFF)
    let offset = Int(tape[container] & 0xFFFF_FFFF)
    tape[container] =
      RawNode(
        isObject ? .object : .array, offset: offset, length: min(children, RawNode.lengthLimit)
      ).word
    tape[container + 1] = UInt64(end) << 32 | UInt64(count)
    guard depth > 0 else { return }
    // Until it closes, an array knows its last object, which the next one is likely to resemble.
    if isObject, tape[parent] >> 63 == 0 {
      tape[parent + 1] = UInt64(container) << 32 | tape[parent + 1] & 0xFFFF_FFFF
    }
    container = parent
    children = Int((tape[parent] >> 32) & 0x7FFF_FFFF)
    isObject = tape[parent] >> 63 != 0
  }

  /// Parses the name of a member and its colon, up to the value. There is room for all three words.
  @inline(__always)
  private mutating func name(_ i: inout Int) -> RawFault? {
    let (source, base, end) = (source, source.base, source.end)
    guard i < end else { return .at(i, .unexpectedEnd) }
    guard base[i] == UInt8(ascii: "\"") else { return .at(i, .expectedName) }
    if let fault = string(&i) { return fault }
    source.skipSpace(&i)
    guard i < end else { return .at(i, .unexpectedEnd) }
    guard base[i] == UInt8(ascii: ":") else { return .at(i, .expectedColon) }
    i += 1
    source.skipSpace(&i)
    return nil
  }
}

// MARK: Numbers

extension RawParser {
  /// `-? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?`
  @inline(__always)
  mutating func number(_ i: inout Int) -> RawFault? {
    let (source, base, end) = (source, source.base, source.end)
    let start = i
    var tag = RawNode.Tag.integer
    if base[i] == UInt8(ascii: "-") { i += 1 }
    guard i < end, source.isDigit(base[i]) else { return .at(i, .expectedDigit) }
    if base[i] == UInt8(ascii: "0") {
      i += 1
      if i < end, source.isDigit(base[i]) { return .at(i, .leadingZero) }
    } else {
      source.skipDigits(&i)
    }
    if i < end, base[i] == UInt8(ascii: ".") {
      tag = .number
      i += 1
      guard i < end, source.isDigit(base[i]) else { return .at(i, .expectedDigit) }
      source.skipDigits(&i)
    }
    if i < end, base[i] | 0x20 == UInt8(ascii: "e") {
      tag = .number
      i += 1
      if i < end, base[i] == UInt8(ascii: "+") || base[i] == UInt8(ascii: "-") { i += 1 }
      guard i < end, source.isDigit(base[i]) else { return .at(i, .expectedDigit) }
      source.skipDigits(&i)
    }
    guard i - start <= RawNode.lengthLimit else { return .at(start, .tooLong) }
    write(RawNode(tag, offset: start, length: i - start).word)
    return nil
  }
}
