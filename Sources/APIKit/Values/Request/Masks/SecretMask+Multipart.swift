extension SecretMask {
  /// A multipart body with the contents of secret parts replaced. The others are masked by their own content type.
  func multipart(_ bytes: [UInt8], _ contentType: String) -> [UInt8] {
    guard let boundary = Self.parameter("boundary", of: contentType) ?? Self.firstBoundary(bytes) else {
      return bytes
    }
    let delimiter = Array("--\(boundary)".utf8)
    var reader = MaskReader(bytes)
    guard let first = reader.find(delimiter, from: 0) else { return bytes }
    reader.take(to: first + delimiter.count)
    while !reader.isAtEnd, !reader.starts(with: "--") {
      let end = reader.find(delimiter, from: reader.index) ?? bytes.count
      takePart(&reader, to: end)
      reader.take(to: end + delimiter.count)
    }
    reader.take(to: bytes.count)
    return reader.output
  }

  private func takePart(_ reader: inout MaskReader, to end: Int) {
    let blank = ["\r\n\r\n", "\n\n"].compactMap { text in
      reader.find(Array(text.utf8), from: reader.index).map { (at: $0, after: $0 + text.utf8.count) }
    }.min { $0.at < $1.at }
    guard let blank, blank.after <= end else { return reader.take(to: end) }
    var name = ""
    var type: String?
    for line in Self.lines(reader.bytes[reader.index..<blank.at]) {
      let field = line.lowercased()
      if field.hasPrefix("content-disposition:") { name = Self.parameter("name", of: line) ?? "" }
      if field.hasPrefix("content-type:") {
        type = String(line.dropFirst("content-type:".count)).trimmingSpaces()
      }
    }
    reader.take(to: blank.after)
    // The line break before the delimiter belongs to it.
    var last = max(end, reader.index)
    if last > reader.index, reader.bytes[last - 1] == UInt8(ascii: "\n") { last -= 1 }
    if last > reader.index, reader.bytes[last - 1] == UInt8(ascii: "\r") { last -= 1 }
    let content = Array(reader.bytes[reader.index..<last])
    reader.output +=
      hides(name)
      ? Array(replacement(String(decoding: content, as: UTF8.self)).utf8) : body(content, contentType: type)
    reader.skip(to: last)
    reader.take(to: end)
  }

  /// The lines of a head. One that begins with a space goes on with the line before it (RFC 5322, 2.2.3).
  private static func lines(_ head: ArraySlice<UInt8>) -> [String] {
    var lines: [String] = []
    for line in String(decoding: head, as: UTF8.self).split(whereSeparator: \.isNewline) {
      if line.first == " " || line.first == "\t", let last = lines.popLast() {
        lines.append(last + line)
      } else {
        lines.append(String(line))
      }
    }
    return lines
  }

  /// The parameter of a field's value: `name="a"`, `boundary=b`. Escapes of quotes are resolved.
  private static func parameter(_ name: String, of value: String) -> String? {
    for part in value.split(separator: ";").dropFirst() {
      guard let equals = part.firstIndex(of: "="),
        String(part[..<equals]).trimmingSpaces().lowercased() == name
      else { continue }
      let text = String(part[part.index(after: equals)...]).trimmingSpaces()
      guard text.hasPrefix("\"") else { return text }
      let name = text.dropFirst().prefix { $0 != "\"" }
      return PercentEncoding.decode(name) ?? String(name)
    }
    return nil
  }

  private static func firstBoundary(_ bytes: [UInt8]) -> String? {
    guard bytes.starts(with: "--".utf8) else { return nil }
    return String(decoding: bytes.dropFirst(2).prefix { $0 > 0x20 }, as: UTF8.self)
  }
}
