/// Divides a record for a log whose messages have a largest size.
enum LogParts {
  /// What Apple's log keeps of a message are 1,024 bytes, with what the system adds; the rest is cut off when it is stored.
  /// - SeeAlso: <https://developer.apple.com/documentation/os/generating-log-messages-from-your-code>
  static let systemBytes = 1000
  /// What the number of a part takes at most.
  private static let numberBytes = 48

  /// The text, or its parts of at most so many bytes, each with its number and whole lines as far as they fit.
  ///
  /// - Parameter name: Which record it is, in a few letters: the parts of several may alternate.
  static func parts(of text: String, named name: String, maximumBytes: Int = systemBytes) -> [String] {
    guard text.utf8.count > maximumBytes else { return [text] }
    let room = max(4, maximumBytes - name.utf8.count - numberBytes)
    var parts: [String] = []
    var part = ""
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      for piece in pieces(of: line, room: room) {
        if !part.isEmpty, part.utf8.count + 1 + piece.utf8.count > room {
          parts.append(part)
          part = ""
        }
        part += (part.isEmpty ? "" : "\n") + piece
      }
    }
    parts.append(part)
    return parts.enumerated().map { "\(name) (\($0.offset + 1) of \(parts.count))\n\($0.element)" }
  }

  /// A line, divided between two characters of Unicode where it is longer than a part.
  private static func pieces(of line: Substring, room: Int) -> [Substring] {
    guard line.utf8.count > room else { return [line] }
    var pieces: [Substring] = []
    var rest = line[...]
    while !rest.isEmpty {
      var end = rest.startIndex
      var bytes = 0
      while end < rest.endIndex {
        let scalar = rest.unicodeScalars[end]
        bytes += UTF8.width(scalar)
        guard bytes <= room else { break }
        end = rest.unicodeScalars.index(after: end)
      }
      pieces.append(rest[..<end])
      rest = rest[end...]
    }
    return pieces
  }
}
