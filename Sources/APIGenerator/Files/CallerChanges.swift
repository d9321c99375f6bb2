/// What a run changes for code that uses the generated types: their declarations before and after.
struct CallerChanges {
  /// One line for each change that such code has to follow, then one for each new type and each new member of an old one.
  let lines: [String]

  /// - Parameters:
  ///   - old: The sources that lie there, `new` those that are to come.
  ///   - renamed: The new name of each type that was given another one.
  init(from old: [String], to new: [String], renamed: [String: String]) {
    let (old, new) = (Self.declarations(in: old, renamed: renamed), Self.declarations(in: new))
    var (breaking, added): ([String], [String]) = ([], [])
    for (before, after) in renamed where old[after] != nil && new[after] != nil {
      breaking.append("renames \(before) to \(after)")
    }
    for (name, declaration) in old {
      guard let now = new[name] else {
        if declaration.owner.map({ new[$0] != nil }) ?? true { breaking.append("removes \(name)") }
        continue
      }
      if declaration.isType, now.isType {
        let lost = declaration.adopted.subtracting(now.adopted).sorted()
        if !lost.isEmpty {
          breaking.append("changes \(name): it is no longer \(lost.joined(separator: ", "))")
        }
      } else if declaration.text != now.text {
        breaking.append("changes \(name) from \(declaration.text) to \(now.text)")
      }
    }
    for (name, declaration) in new where old[name] == nil {
      let isOfOld = declaration.owner.flatMap { $0.split(separator: ".").first }.map {
        old[String($0)] != nil
      }
      // A type that has become an enum is listed as changed itself.
      let isOfOther = declaration.owner.flatMap { old[$0] }.map { !$0.isType } ?? false
      if isOfOld == true, declaration.isRequired, !isOfOther {
        breaking.append("requires \(name): \(declaration.text)")
      } else if declaration.owner.map({ old[$0]?.isType == true }) ?? true {
        added.append(
          "adds \(name)" + (declaration.text.isEmpty || declaration.isType ? "" : ": \(declaration.text)"))
      }
    }
    lines = breaking.sorted() + added.sorted()
  }

  // MARK: Declarations

  private struct Declaration {
    var isType = false
    /// The type of a member, as it is written.
    var text = ""
    /// The protocols and classes of a type.
    var adopted: Set<String> = []
    /// The type that it is a member of.
    var owner: String?
    /// Whether a value of the owner cannot be made without it.
    var isRequired = false
  }

  /// The declarations by name, e.g. `GetHomeManager.Input.id`; the sources are laid out as this tool writes them.
  private static func declarations(in sources: [String], renamed: [String: String] = [:]) -> [String:
    Declaration]
  {
    var found: [String: Declaration] = [:]
    for source in sources {
      var owners: [(indent: Int, name: String, isSent: Bool, isEnum: Bool)] = []
      for line in source.split(separator: "\n") {
        let text = line.drop { $0 == " " }
        let indent = line.count - text.count
        owners.removeAll { $0.indent >= indent }
        guard !text.hasPrefix("//"), let (words, rest) = keyword(of: text) else { continue }
        let owner = owners.last
        let name = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
        let after = head(rest.dropFirst(name.count))
        var declaration = Declaration(owner: owner?.name)
        var key = String(name)
        switch words {
        case "class", "struct", "protocol", "enum", "extension":
          if owner == nil { key = renamed[key] ?? key }
          (declaration.isType, declaration.text) = (true, words)
          declaration.adopted = adopted(after)
          let isSent = words == "struct" && declaration.adopted.contains("Encodable")
          let full = (owner.map { $0.name + "." } ?? "") + key
          owners.append((indent, full, isSent, words == "enum"))
          guard words != "extension" else { continue }
        case "var" where after.hasPrefix(": "):
          let type = after.dropFirst(2)
          declaration.text = String(type.prefix { $0 != "=" }.reversed().drop { $0 == " " }.reversed())
          declaration.isRequired =
            owner?.isSent == true && !type.contains("=") && !type.hasSuffix("?") && !rest.contains("{")
        case "static let",
          "let" where name == "rawValue":
          declaration.text = after.hasPrefix(": ") ? String(after.dropFirst(2).prefix { $0 != "=" }) : ""
        case "case" where owner?.isEnum == true && indent == (owner?.indent ?? 0) + 2:
          // Code that switches over the values has to know a new one.
          (declaration.text, declaration.isRequired) = (after.isEmpty ? "a case" : after, true)
        case "typealias":
          declaration.text = String(after.dropFirst(3))
        case "func", "static func", "init":
          guard !after.hasSuffix("(") else { continue }
          key = (words == "init" ? "init" : "") + head(rest)
        default: continue
        }
        guard owner != nil || declaration.isType else { continue }
        // A type of a document may be called by a name that was changed wherever it is used.
        declaration.text = replacingNames(declaration.text, renamed)
        found[(owner.map { $0.name + "." } ?? "") + replacingNames(key, renamed)] = declaration
      }
    }
    return found
  }

  /// The keyword of a declaration that others can use, and what stands behind it.
  private static func keyword(of line: Substring) -> (words: String, rest: Substring)? {
    var rest = line
    while let word = [
      "public ", "package ", "open ", "nonisolated ", "final ", "indirect ", "@MainActor ",
      "@discardableResult ",
    ]
    .first(
      where: rest.hasPrefix)
    { rest = rest.dropFirst(word.count) }
    if rest.hasPrefix("init(") { return ("init", rest.dropFirst(4)) }
    let keywords = [
      "class", "struct", "protocol", "enum", "extension", "var", "static let", "let", "typealias",
      "static func", "func", "case",
    ]
    guard let word = keywords.first(where: { rest.hasPrefix($0 + " ") }) else { return nil }
    return (word, rest.dropFirst(word.count + 1))
  }

  /// A declaration without its body.
  private static func head(_ text: Substring) -> String {
    var words: [Substring] = []
    for word in text.split(separator: " ", omittingEmptySubsequences: false) {
      if word == "{" { break }
      words.append(word)
    }
    return words.joined(separator: " ")
  }

  private static func adopted(_ text: String) -> Set<String> {
    let names = text.drop { $0 != ":" }.dropFirst().split { $0 == "," || $0 == " " }.map(String.init)
    return Set(names.flatMap { $0 == "Codable" ? ["Decodable", "Encodable"] : [$0] })
  }

  private static func replacingNames(_ text: String, _ renamed: [String: String]) -> String {
    guard !renamed.isEmpty else { return text }
    var result = ""
    var word = ""
    for character in text + " " {
      if character.isLetter || character.isNumber || character == "_" {
        word.append(character)
      } else {
        result += (renamed[word] ?? word) + String(character)
        word = ""
      }
    }
    return String(result.dropLast())
  }
}
