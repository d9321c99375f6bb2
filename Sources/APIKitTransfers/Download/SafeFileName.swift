import APIKit
import Foundation

/// Names of files that a server or a URL gives, made harmless.
enum SafeFileName {
  /// The longest name in bytes of UTF-8, which leaves room for the endings of the partial file.
  static let longest = 200

  /// The name that a `Content-Disposition` gives, made safe; nil when it gives none (RFC 6266).
  static func name(inDisposition field: String) -> String? {
    var plain: String?
    for (name, value) in field.fieldParameters {
      guard let value else { continue }
      if name == "filename*" {
        let segments = value.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
        if segments.count == 3, segments[0].lowercased() == "utf-8",
          let decoded = PercentEncoding.decode(segments[2]), let name = safe(decoded)
        {
          return name
        }
      } else if name == "filename", plain == nil {
        plain = value
      }
    }
    return plain.flatMap(safe)
  }

  /// A name made safe: its last segment, without control characters, marks of direction, the ending of a partial file, dots
  /// and spaces at its ends, and not too long; nil when nothing is left.
  static func safe(_ name: String) -> String? {
    // By scalars: with a joiner behind it a slash is another character, until the joiner is left out.
    let segments = name.unicodeScalars.split(omittingEmptySubsequences: false) { $0 == "/" || $0 == "\\" }
    var kept = String.UnicodeScalarView()
    for scalar in segments[segments.count - 1] {
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
        continue
      default: kept.append(scalar)
      }
    }
    var text = Substring(String(kept))
    // A partial file or its journal: that of another download, which would take it for its own.
    if let ending = text.range(of: PartialFile.ending, options: .caseInsensitive) {
      text = text[..<ending.lowerBound]
    }
    // A name with a dot first is hidden; one with a dot or a space last is another file on some systems.
    func isLeftOut(_ scalar: Unicode.Scalar) -> Bool { scalar == "." || scalar.properties.isWhitespace }
    text = Substring(text.unicodeScalars.drop(while: isLeftOut))
    while let last = text.unicodeScalars.last, isLeftOut(last) { text.unicodeScalars.removeLast() }
    guard text.utf8.count > longest else { return text.isEmpty ? nil : String(text) }
    var stem = text
    var ending = Substring()
    if let dot = text.lastIndex(of: "."), text[dot...].utf8.count <= 20 {
      (stem, ending) = (text[..<dot], text[dot...])
    }
    while stem.utf8.count + ending.utf8.count > longest { stem.removeLast() }
    return stem.isEmpty ? nil : String(stem + ending)
  }
}
