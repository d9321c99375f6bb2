/// What a run has written and with which settings; it lies beside the output, for the next run.
struct Manifest: Equatable {
  var settings = Settings()
  /// The names that were given, by what they are for.
  var names: [String: String] = [:]
  /// The digest of each file.
  var files: [String: String] = [:]

  init() {}

  /// Reads a manifest; it was written by an earlier run, but may have been merged by hand.
  init(_ bytes: [UInt8], file: String) throws(Problems) {
    let root = try JSONReader.read(bytes, file: file)
    guard case .number("1")? = root["format"]?.value else {
      throw Problems("\(SafeText.line(file)): it was written by another version of apikit-generate")
    }
    func table(_ name: String) -> [String: String] {
      Dictionary(
        (root[name]?.members ?? []).compactMap { member in member.node.string.map { (member.name, $0) } }
      ) { first, _ in first }
    }
    files = table("files")
    names = table("names")
    for name in files.keys where !Self.isFileName(name) {
      throw Problems(
        "\(SafeText.line(file)): \(SafeText.quoted(name)) is not the name of a file that this tool writes")
    }
    for name in names.values
    where Words.type(name).isEmpty || name.contains(where: { !($0.isLetter || $0.isNumber) }) {
      throw Problems("\(SafeText.line(file)): \(SafeText.quoted(name)) is no name of a type")
    }
    let stated = root["settings"]
    settings.document = stated?["document"]?.string
    settings.service = stated?["service"]?.string
    settings.baseURL = stated?["baseURL"]?.string
    settings.namesFile = stated?["names"]?.string
    settings.access = stated?["access"]?.string ?? settings.access
    settings.writesBases = stated?["bases"]?.bool == true
    settings.selection = Selection(
      tags: stated?["tags"]?.strings ?? [], paths: stated?["paths"]?.strings ?? [],
      operations: stated?["operations"]?.strings ?? [])
  }

  /// Whether a name is that of a file in the folder itself, as this tool writes them.
  static func isFileName(_ name: String) -> Bool {
    (name.hasSuffix(".swift") || name == Report.fileName) && name.utf8.count <= 200
      && name.unicodeScalars.allSatisfy {
        $0.isASCII && ($0.properties.isAlphabetic || "0123456789+.".unicodeScalars.contains($0))
      }
      && !name.hasPrefix(".")
  }

  /// The manifest as it is written: sorted, one entry a line, so that it merges well.
  var text: String {
    func quoted(_ text: String) -> String {
      var result = "\""
      for scalar in text.unicodeScalars {
        switch scalar {
        case "\"": result += "\\\""
        case "\\": result += "\\\\"
        case _ where scalar.value < 0x20:
          let digits = String(scalar.value, radix: 16)
          result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        default: result.unicodeScalars.append(scalar)
        }
      }
      return result + "\""
    }
    func table(_ values: [String: String]) -> String {
      let lines = values.sorted { Array($0.key.utf8).lexicographicallyPrecedes(Array($1.key.utf8)) }
      return lines.isEmpty
        ? "{}"
        : "{\n" + lines.map { "    \(quoted($0.key)): \(quoted($0.value))" }.joined(separator: ",\n")
          + "\n  }"
    }
    func list(_ values: [String]) -> String { "[" + values.map(quoted).joined(separator: ", ") + "]" }
    var stated: [String] = []
    for (name, value) in [
      ("document", settings.document), ("service", settings.service), ("baseURL", settings.baseURL),
      ("names", settings.namesFile),
      ("access", settings.access),
    ] { if let value { stated.append("    \"\(name)\": \(quoted(value))") } }
    if settings.writesBases { stated.append("    \"bases\": true") }
    for (name, values) in [
      ("tags", settings.selection.tags), ("paths", settings.selection.paths),
      ("operations", settings.selection.operations),
    ] where !values.isEmpty { stated.append("    \"\(name)\": \(list(values))") }
    return """
      {
        "format": 1,
        "settings": {
      \(stated.joined(separator: ",\n"))
        },
        "names": \(table(names)),
        "files": \(table(files))
      }

      """
  }
}
