extension String {
  /// The string without spaces and tabs at its ends.
  func trimmingSpaces() -> String {
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
    guard let first = utf8.firstIndex(where: { !isSpace($0) }),
      let last = utf8.lastIndex(where: { !isSpace($0) })
    else { return "" }
    return String(self[first...last])
  }

  /// The elements of a list in a header field, separated by commas, without white space around them.
  var listElements: [String] { split(separator: ",").map { String($0).trimmingSpaces() } }
}
