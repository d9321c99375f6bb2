/// One word behind the URL of a call, in the syntax of HTTPie: what it is goes by the mark between name and value.
///
/// The first mark counts, of those at one place the longest. A backslash takes a mark before it its meaning, in the name only.
/// - SeeAlso: <https://httpie.io/docs/cli/request-items>
struct RequestItem: Equatable, Sendable {
  enum Kind: Equatable, Sendable {
    /// `Name:value`, a header field.
    case header
    /// `Name;`, a header field with an empty value.
    case emptyHeader
    /// `name==value`, a parameter of the query.
    case query
    /// `name=value`, data.
    case text
    /// `name:=JSON`, data that is a number, a list and so on.
    case json
    /// `name=@FILE`, data with the text of a file.
    case textOfFile
    /// `name:=@FILE`, data with the JSON of a file.
    case jsonOfFile
    /// `name@FILE`, a file in a form; without a name the whole body.
    case file
  }

  let kind: Kind
  let name: String
  let value: String

  private static let marks: [(mark: String, kind: Kind)] = [
    (":=@", .jsonOfFile), ("==", .query), (":=", .json), ("=@", .textOfFile), ("=", .text), (":", .header),
    ("@", .file), (";", .emptyHeader),
  ]

  init(_ word: String) throws(UsageError) {
    var name = String.UnicodeScalarView()
    var rest = word.unicodeScalars[...]
    while let scalar = rest.first {
      if scalar == "\\", let next = rest.dropFirst().first, "\\:=@;".unicodeScalars.contains(next) {
        name.append(next)
        rest = rest.dropFirst(2)
        continue
      }
      // A semicolon is a mark at the end only.
      let found = Self.marks.first {
        rest.starts(with: $0.mark.unicodeScalars) && ($0.mark != ";" || rest.count == 1)
      }
      if let found {
        kind = found.kind
        self.name = String(name)
        value = String(rest.dropFirst(found.mark.unicodeScalars.count))
        guard !name.isEmpty || kind == .file else { throw UsageError("\(word) has no name") }
        return
      }
      name.append(scalar)
      rest = rest.dropFirst()
    }
    throw UsageError(
      "\(word) is no item: Name:value is a header field, name==value a query parameter, name=value and name:=JSON "
        + "are data, name@FILE is a file")
  }
}
