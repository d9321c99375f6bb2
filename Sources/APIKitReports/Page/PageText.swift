import APIKit

/// HTML as it is written: what comes from a load is escaped, what is the page's own is not.
struct PageText {
  private(set) var text = ""

  /// Appends what is HTML already.
  mutating func put(_ html: StaticString) { text += "\(html)" }

  /// Appends a text of whatever origin.
  mutating func put(escaped plain: String) { text += Self.escaped(plain) }

  /// Appends what another text has.
  mutating func append(_ other: PageText) { text += other.text }

  /// Appends a cell with a name of whatever origin, which changes the direction of nothing around it.
  mutating func nameCell(_ name: String) { element("td") { $0.element("bdi", text: name) } }

  /// Appends an element with attributes and a text, all of whatever origin but for the names.
  mutating func element(
    _ name: StaticString, _ attributes: KeyValuePairs<StaticString, String> = [:], text content: String? = nil
  ) {
    open(name, attributes)
    if let content { text += Self.escaped(content) }
    close(name)
  }

  /// Appends an element with what `body` appends in it.
  mutating func element(
    _ name: StaticString, _ attributes: KeyValuePairs<StaticString, String> = [:],
    body: (inout PageText) -> Void
  ) {
    open(name, attributes)
    body(&self)
    close(name)
  }

  private mutating func open(_ name: StaticString, _ attributes: KeyValuePairs<StaticString, String>) {
    text += "<\(name)"
    for (key, value) in attributes { text += " \(key)=\"\(Self.escaped(value))\"" }
    text += ">"
  }

  private mutating func close(_ name: StaticString) { text += "</\(name)>\n" }

  /// A text that means itself between tags and in a quoted attribute. Control characters, which HTML does not allow,
  /// become spaces.
  static func escaped(_ text: String) -> String {
    var output: [UInt8] = []
    output.reserveCapacity(text.utf8.count)
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "&"): output += "&amp;".utf8
      case UInt8(ascii: "<"): output += "&lt;".utf8
      case UInt8(ascii: ">"): output += "&gt;".utf8
      case UInt8(ascii: "\""): output += "&quot;".utf8
      case UInt8(ascii: "'"): output += "&#39;".utf8
      case 0x09, 0x0A: output.append(byte)
      case ..<0x20, 0x7F: output.append(UInt8(ascii: " "))
      default: output.append(byte)
      }
    }
    return String(decoding: output, as: UTF8.self)
  }
}
