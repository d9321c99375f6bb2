/// Text in `application/x-www-form-urlencoded`.
/// - SeeAlso: <https://url.spec.whatwg.org/#concept-urlencoded-parser>
enum FormText {
  /// A name or a value: `+` is a space. A percent sign that does not start an escape is kept, and bytes that are not
  /// UTF-8 become U+FFFD.
  static func decode(_ encoded: some Sequence<UInt8>) -> String {
    var plain: [UInt8] = []
    var rest = ArraySlice(Array(encoded))
    plain.reserveCapacity(rest.count)
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), rest.count >= 2, let high = Hex.value(of: rest[rest.startIndex]),
        let low = Hex.value(of: rest[rest.startIndex + 1])
      {
        plain.append(high << 4 | low)
        rest = rest.dropFirst(2)
      } else {
        plain.append(byte == UInt8(ascii: "+") ? 0x20 : byte)
      }
    }
    return String(decoding: plain, as: UTF8.self)
  }
}
