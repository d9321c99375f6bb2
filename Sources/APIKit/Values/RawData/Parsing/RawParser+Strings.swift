// Strings contain most of the bytes of a document, so this code decides the speed of parsing.
extension RawParser {
  /// Parses the string whose opening quote is at `i`, and moves `i` after its closing quote.
  @inline(__always)
  mutating func string(_ i: inout Int) -> RawFault? {
    let (source, base, end) = (source, source.base, source.end)
    i += 1
    let start = i
    var tag = RawNode.Tag.string
    while true {
      source.skipPlain(&i)
      guard i < end else { return .at(i, .unterminatedString) }
      let byte = base[i]
      if byte == UInt8(ascii: "\"") { break }
      if byte >= 0x80 {
        let next = source.nonASCIIEnd(i)
        guard next > 0 else { return .at(-next, .invalidUTF8) }
        i = next
      } else if byte == UInt8(ascii: "\\") {
        tag = .escapedString
        let next = source.escapeEnd(i)
        guard next > 0 else { return .at(-next, .invalidEscape) }
        i = next
      } else {
        return .at(i, .controlCharacter)
      }
    }
    guard i - start <= RawNode.lengthLimit else { return .at(start, .tooLong) }
    write(RawNode(tag, offset: start, length: i - start).word)
    i += 1
    return nil
  }
}
