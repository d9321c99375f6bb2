import Foundation

/// One piece of Swift in a document, and what to compile to check it; CONTRIBUTING.md has the rules.
struct Snippet: Equatable {
  /// The document, as diagnostics name it.
  let page: String
  /// The line of the document its code begins at.
  let line: Int
  /// The whole source: imports unless it has its own, the page's preamble, the code.
  let source: String

  /// What a block without an import gets.
  private static let imports = ["APIKit", "Foundation", "Reformers"].map { "import \($0)\n" }.joined()

  /// What is wrong with a document's fences or comments.
  struct Mistake: Error, Equatable, CustomStringConvertible {
    let page: String
    let line: Int
    let words: String
    var description: String { "\(page):\(line): \(words)" }
  }

  /// Every piece of Swift in a document, those joined by `file=` as one, those with a reason to be skipped left out.
  static func all(in text: String, page: String) throws(Mistake) -> [Snippet] {
    var pieces: [(key: String, line: Int, parts: [String], preamble: String)] = []
    var preamble = ""
    var isSkipped = false
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    var index = 0

    /// The lines up to the one that `isEnd`, which is passed by.
    func take(_ what: String, until isEnd: (String) -> Bool) throws(Mistake) -> [String] {
      let start = index
      while index < lines.count {
        index += 1
        if isEnd(lines[index - 1]) { return Array(lines[start..<index - 1]) }
      }
      throw Mistake(page: page, line: start, words: "\(what) has no end")
    }

    while index < lines.count {
      let line = lines[index].trimmingCharacters(in: .whitespaces)
      index += 1
      let number = index
      if line.hasPrefix("<!-- snippet: preamble") {
        let code = try take("the preamble") { $0.contains("-->") }
        preamble = located(code, page, number + 1)
      } else if line.hasPrefix("<!-- snippet: skip because ") {
        guard line.hasSuffix("-->"), line.count > "<!-- snippet: skip because -->".count else {
          throw Mistake(page: page, line: number, words: "say on one line why the block is skipped")
        }
        isSkipped = true
      } else if line.hasPrefix("<!-- snippet:") {
        throw Mistake(page: page, line: number, words: "only 'preamble' and 'skip because …' are known")
      } else if line.hasPrefix("```") {
        let code = try take("the block") { $0.trimmingCharacters(in: .whitespaces) == "```" }
        let words = line.dropFirst(3).split(separator: " ")
        defer { isSkipped = false }
        guard words.first == "swift", !isSkipped else { continue }
        let name = words.dropFirst().first
        guard words.count <= 2, name?.hasPrefix("file=") ?? true else {
          throw Mistake(page: page, line: number, words: "only 'file=Name' may stand behind 'swift'")
        }
        let part = located(code, page, number + 1)
        if let name, let known = pieces.firstIndex(where: { $0.key == name }) {
          pieces[known].parts.append(part)
        } else {
          pieces.append((name.map(String.init) ?? "", number + 1, [part], preamble))
        }
      }
    }
    return pieces.map { piece in
      let code = piece.parts.joined(separator: "\n")
      let hasImports = (piece.preamble + code).split(separator: "\n").contains { $0.hasPrefix("import ") }
      let imports = hasImports ? "" : Self.imports
      return Snippet(page: page, line: piece.line, source: imports + piece.preamble + code)
    }
  }

  /// The code, with the document's own lines in the compiler's diagnostics.
  private static func located(_ code: [String], _ page: String, _ line: Int) -> String {
    "#sourceLocation(file: \"\(page)\", line: \(line))\n" + code.joined(separator: "\n") + "\n"
  }
}
