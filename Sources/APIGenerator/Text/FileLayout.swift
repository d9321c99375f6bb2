/// Puts declarations into files: one for the service, one for each tag, one for each forty models, none too long.
struct FileLayout {
  /// A declaration and what it needs.
  struct Part {
    var lines: [String]
    var needsFoundation = false
    var isFoundationPublic = false
    /// The products beside the core that its code uses.
    var products: Set<String> = []
    var needsFramework = true
    /// Whether what it declares for others has types of the framework.
    var isFrameworkPublic = true
  }

  private let source: SourceWriter
  /// The parts of each file of a title.
  private var parts: [String: [[Part]]] = [:]
  private var lengths: [String: Int] = [:]
  private var titles: [String: String] = [:]
  private var names: Set<String> = []
  /// How many titles a title has beside it that differ by letters.
  private var counts: [String: Int] = [:]

  init(_ source: SourceWriter) { self.source = source }

  /// Adds a declaration to the file of a title, e.g. a tag; the empty one is that of the service.
  mutating func add(_ part: Part, to tag: String) { append(part, title(of: tag), limit: Int.max) }

  mutating func addModel(_ part: Part) {
    append(part, title(of: "\u{0}models"), limit: Generator.modelsPerFile)
  }

  /// The end of a file's name for a tag: letters and digits of ASCII, different for each tag in any case of letters.
  private mutating func title(of tag: String) -> String {
    if let known = titles[tag] { return known }
    var title = ""
    if tag == "\u{0}models" {
      title = "Models"
    } else if !tag.isEmpty {
      title = String(Words.type(tag).filter { $0.isASCII }.prefix(60))
      if title.isEmpty { title = "Tag" }
      while title.last?.isNumber == true { title += "Managers" }
      if title.lowercased() == "models" { title = "ModelsManagers" }
    }
    let plain = title
    while !names.insert(title.lowercased()).inserted {
      counts[plain.lowercased(), default: 0] += 1
      title = plain + "Part" + Self.letters(counts[plain.lowercased(), default: 0])
    }
    titles[tag] = title
    return title
  }

  /// A, B, … Z, AA: a number would be that of a further file of one title.
  private static func letters(_ number: Int) -> String {
    var (rest, text) = (number, "")
    while rest > 0 {
      rest -= 1
      text = String(UnicodeScalar(UInt8(65 + rest % 26))) + text
      rest /= 26
    }
    return text
  }

  private mutating func append(_ part: Part, _ title: String, limit: Int) {
    var files = parts[title] ?? [[]]
    let length = lengths[title] ?? 0
    if let last = files.last, !last.isEmpty,
      last.count >= limit || length + part.lines.count > Generator.maximumLines - 20
    {
      files.append([])
      lengths[title] = 0
    }
    files[files.count - 1].append(part)
    lengths[title, default: 0] += part.lines.count + 1
    parts[title] = files
  }

  /// The files by name.
  var files: [String: String] {
    var result: [String: String] = [:]
    for (title, chunks) in parts {
      for (index, chunk) in chunks.enumerated() {
        let number = index == 0 ? "" : String(index + 1)
        let name = asciiName + (title.isEmpty ? number : "+\(title)\(number)") + ".swift"
        result[name] = text(chunk)
      }
    }
    return result
  }

  private var asciiName: String {
    let name = source.service.filter(\.isASCII)
    return name.isEmpty ? "Service" : name
  }

  private func text(_ parts: [Part]) -> String {
    let access = source.importPrefix
    var lines = [
      "// Written by apikit-generate from \(SafeText.line(source.document.file, limit: 120)).",
      "// The next run replaces it: what is yours belongs in extensions, in files of your own.",
      "// swift-format-ignore-file", "",
    ]
    // An import without an access level is refused where another file of the target states one.
    let inner = access.isEmpty ? "" : "internal "
    if parts.contains(where: \.needsFramework) {
      let isPublic = parts.contains { $0.needsFramework && $0.isFrameworkPublic }
      lines.append("\(isPublic ? access : inner)import APIKit")
    }
    for product in Set(parts.flatMap(\.products)).sorted() { lines.append("\(access)import \(product)") }
    if parts.contains(where: \.needsFoundation) {
      lines.append("\(parts.contains(where: \.isFoundationPublic) ? access : inner)import Foundation")
    }
    for part in parts { lines += [""] + part.lines }
    while let range = lines.firstIndex(where: { $0.isEmpty }), range + 1 < lines.count,
      lines[range + 1].isEmpty
    { lines.remove(at: range) }
    return lines.joined(separator: "\n") + "\n"
  }
}
