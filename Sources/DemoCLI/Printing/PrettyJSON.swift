import APIKit
import Reformers

/// Lays JSON text out in lines and colours. Every token stays as it was written: numbers, escapes, repeated names.
struct PrettyJSON {
  private let palette: Palette
  private var output = ""
  /// What is open: true for an object.
  private var open: [Bool] = []
  private var isName = false

  /// The text in lines; nil where the bytes are no JSON in UTF-8.
  static func text(_ bytes: [UInt8], _ palette: Palette) -> String? {
    guard (try? RawData(parsing: bytes)) != nil, let text = String(wellFormed: bytes, as: UTF8.self) else {
      return nil
    }
    var pretty = PrettyJSON(palette: palette)
    pretty.write(Array(text.utf8)[...])
    return pretty.output
  }

  private init(palette: Palette) { self.palette = palette }

  private mutating func write(_ bytes: ArraySlice<UInt8>) {
    var rest = bytes
    while let byte = rest.first {
      switch byte {
      case UInt8(ascii: "\""): rest = rest.dropFirst(string(rest))
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        rest = rest.dropFirst().drop { $0 <= 0x20 }
        begin(byte, isEmpty: rest.first == byte + 2)
        if rest.first == byte + 2 { rest = rest.dropFirst() }
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        open.removeLast()
        newLine()
        output.unicodeScalars.append(Unicode.Scalar(byte))
        rest = rest.dropFirst()
      case UInt8(ascii: ","):
        output += ","
        newLine()
        isName = open.last ?? false
        rest = rest.dropFirst()
      case UInt8(ascii: ":"):
        output += ": "
        isName = false
        rest = rest.dropFirst()
      case 0...0x20: rest = rest.dropFirst()
      default: rest = rest.dropFirst(word(rest))
      }
    }
  }

  private mutating func begin(_ byte: UInt8, isEmpty: Bool) {
    output.unicodeScalars.append(Unicode.Scalar(byte))
    // `}` and `]` are two behind their brackets in ASCII.
    if isEmpty { return output.unicodeScalars.append(Unicode.Scalar(byte + 2)) }
    open.append(byte == UInt8(ascii: "{"))
    isName = byte == UInt8(ascii: "{")
    newLine()
  }

  private mutating func newLine() { output += "\n" + String(repeating: "  ", count: open.count) }

  /// Writes a string in its quotes; how many bytes it has.
  private mutating func string(_ rest: ArraySlice<UInt8>) -> Int {
    var end = rest.startIndex + 1
    while end < rest.endIndex, rest[end] != UInt8(ascii: "\"") {
      end += rest[end] == UInt8(ascii: "\\") ? 2 : 1
    }
    let token = rest[..<min(end + 1, rest.endIndex)]
    // What moves the cursor beyond ASCII may stand in a string.
    output += palette.paint(
      DisplayWidth.printable(String(decoding: token, as: UTF8.self)), isName ? .name : .good)
    return token.count
  }

  /// Writes a number, `true`, `false` or `null`; how many bytes it has.
  private mutating func word(_ rest: ArraySlice<UInt8>) -> Int {
    let token = rest.prefix { !"{}[],:\" \t\r\n".utf8.contains($0) }
    output += palette.paint(DisplayWidth.printable(String(decoding: token, as: UTF8.self)), .special)
    return max(1, token.count)
  }
}
