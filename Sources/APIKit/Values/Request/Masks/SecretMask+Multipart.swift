extension SecretMask {
  /// A multipart body with the contents of secret parts replaced. The others are masked by their own content type.
  func multipart(_ bytes: [UInt8], _ contentType: String) -> [UInt8] {
    let stated = contentType.fieldParameters.first { $0.name == "boundary" }?.value
    guard let boundary = stated ?? Self.firstBoundary(bytes) else { return bytes }
    let delimiter = "--\(boundary)"
    var reader = MaskReader(bytes)
    guard let first = reader.find(delimiter, from: 0) else { return bytes }
    reader.take(to: first + delimiter.utf8.count)
    // Also behind a closing one: it may stand in a part, which no receiver ends with it.
    while reader.next != nil {
      let end = reader.find(delimiter, from: reader.index) ?? bytes.count
      takePart(&reader, to: end)
      reader.take(to: end + delimiter.utf8.count)
    }
    reader.take(to: bytes.count)
    return reader.output
  }

  private func takePart(_ reader: inout MaskReader, to end: Int) {
    let blank = ["\r\n\r\n", "\n\n"].compactMap { text in
      reader.find(text, from: reader.index, before: end).map { (at: $0, after: $0 + text.utf8.count) }
    }.min { $0.at < $1.at }
    guard let blank else { return reader.take(to: end) }
    var isSecret = false
    var type: String?
    for line in Self.lines(reader.bytes[reader.index..<blank.at]) {
      let field = line.lowercased()
      if field.hasPrefix("content-disposition:") {
        isSecret = line.fieldParameters.contains { hides(nameOfPart: $0.value ?? "", in: $0.name) }
      }
      if field.hasPrefix("content-type:") { type = line.dropFirst("content-type:".count).trimmingSpaces() }
    }
    reader.take(to: blank.after)
    // The line break before the delimiter belongs to it.
    var content = reader.bytes[reader.index..<max(end, reader.index)]
    if content.last == UInt8(ascii: "\n") { content.removeLast() }
    if content.last == UInt8(ascii: "\r") { content.removeLast() }
    reader.replace(
      to: content.endIndex,
      by: isSecret
        ? Array(replacement(String(decoding: content, as: UTF8.self)).utf8)
        : nestedBody(Array(content), contentType: type))
    reader.take(to: end)
  }

  /// Whether a parameter of the disposition is a secret name: `name="password"`, or `name*=UTF-8''password` (RFC 8187), which a
  /// form should not have and some receivers read.
  private func hides(nameOfPart value: String, in parameter: String) -> Bool {
    guard parameter == "name" || parameter == "name*" else { return false }
    let name =
      parameter == "name"
      ? value[...] : value.split(separator: "'", omittingEmptySubsequences: false).last ?? ""
    return hides(PercentEncoding.decode(name) ?? String(name))
  }

  /// The lines of a head. One that begins with a space continues with the line before it (RFC 5322, 2.2.3).
  private static func lines(_ head: ArraySlice<UInt8>) -> [String] {
    var lines: [String] = []
    for line in head.split(whereSeparator: { $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\n") }) {
      let text = String(decoding: line, as: UTF8.self)
      if line.first == UInt8(ascii: " ") || line.first == UInt8(ascii: "\t"), let last = lines.popLast() {
        lines.append(last + text)
      } else {
        lines.append(text)
      }
    }
    return lines
  }

  private static func firstBoundary(_ bytes: [UInt8]) -> String? {
    guard bytes.starts(with: "--".utf8) else { return nil }
    return String(decoding: bytes.dropFirst(2).prefix { $0 > 0x20 }, as: UTF8.self)
  }
}
