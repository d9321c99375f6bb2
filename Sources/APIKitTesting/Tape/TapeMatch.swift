import APIKit
import APIKitReports

/// A request as a tape compares it. Equal ones are the same request.
struct TapeMatch: Hashable, Sendable {
  let method: String
  let host: String
  let path: String
  /// Name and value, sorted, the volatile ones left out.
  let query: [String]
  let headers: [String]
  let body: String

  /// - Parameter stranger: What takes the place of a secret that the application brought, which may be another at every
  ///   run. Those that a recorded response gave out keep their pseudonym.
  init(_ request: HTTPArchive.Request, _ rules: TapeRules, stranger: (String) -> String) {
    method = request.method.rawValue
    let parts = Self.split(url: request.url)
    host = parts.host
    path = stranger(parts.path)
    query = Self.pairs(parts.query, rules).map(stranger)
    headers = rules.headers.sorted().map { name in
      let values = request.headers.values(name)
      return "\(name): " + (values.isEmpty ? "(none)" : values.map(stranger).joined(separator: ", "))
    }
    body = stranger(Self.meaning(request.body.bytes ?? [], of: request.headers["Content-Type"], rules))
  }

  /// The texts, which are compared by their bytes, as a server reads them.
  private var texts: [[ExactText]] {
    [[method, host, path, body], query, headers].map { $0.map(ExactText.init) }
  }

  static func == (left: Self, right: Self) -> Bool { left.texts == right.texts }

  func hash(into hasher: inout Hasher) { hasher.combine(texts) }

  private static func split(url: String) -> (host: String, path: String, query: String) {
    guard let parsed = try? HTTPURL(url) else { return ("", url, "") }
    let isLocal = parsed.host == "localhost" || parsed.host == "::1" || parsed.host.hasPrefix("127.")
    let port = parsed.port.map { ":\($0)" } ?? ""
    return (isLocal ? "this machine" : parsed.host + port, parsed.path, parsed.query ?? "")
  }

  /// The pairs of a query or form, sorted.
  private static func pairs(_ text: String, _ rules: TapeRules) -> [String] {
    text.split(separator: "&").compactMap { pair in
      let name = pair.prefix { $0 != "=" }
      let value = pair.dropFirst(name.count + 1)
      func plain(_ text: Substring) -> String {
        PercentEncoding.decode(text, plusIsSpace: true) ?? String(text)
      }
      return rules.isVolatile(plain(name)) ? nil : "\(plain(name))=\(plain(value))"
    }.sorted()
  }

  /// A body by what it says.
  private static func meaning(_ bytes: [UInt8], of type: String?, _ rules: TapeRules) -> String {
    guard !bytes.isEmpty else { return "" }
    let type = type?.lowercased() ?? ""
    if type.contains("x-www-form-urlencoded") {
      return pairs(String(decoding: bytes, as: UTF8.self), rules).joined(separator: "&")
    }
    if type.hasPrefix("multipart/"), bytes.starts(with: "--".utf8) {
      let text = String(decoding: bytes, as: UTF8.self)
      let boundary = text.dropFirst(2).prefix { !$0.isNewline }
      return text.split(separator: String(boundary), omittingEmptySubsequences: false).joined(
        separator: "boundary")
    }
    if let raw = try? RawData(parsing: bytes), raw.kind == .object || raw.kind == .array {
      return canonical(raw, rules)
    }
    return HTTPArchive.Content.text(bytes) ?? "\(bytes.count) bytes, \(HTTPArchive.Content(bytes).digest)"
  }

  private static func canonical(_ raw: RawData, _ rules: TapeRules) -> String {
    switch raw.kind {
    case .object:
      let members = raw.members.filter { !rules.isVolatile($0.key) }.sorted { $0.key < $1.key }
      return "{"
        + members.map { "\"\($0.key)\":" + canonical($0.value, rules) }.joined(separator: ",") + "}"
    case .array: return "[" + raw.elements.map { canonical($0, rules) }.joined(separator: ",") + "]"
    default: return raw.jsonText(canonical: true)
    }
  }

  // MARK: Differences

  /// What sets it apart from an entry of the tape, in words; for people who look for their mistake.
  func differences(from entry: TapeMatch) -> [String] {
    var differences: [String] = []
    func compare(_ what: String, _ own: String, with recorded: String) {
      if !own.equalsExactly(recorded) {
        differences.append("\(what) is \(Self.shown(own)), recorded \(Self.shown(recorded))")
      }
    }
    compare("the method", method, with: entry.method)
    compare("the host", host, with: entry.host)
    compare("the path", path, with: entry.path)
    for extra in Self.minus(query, entry.query) {
      differences.append("\(Self.shown(extra)) is not in the recorded query")
    }
    for missing in Self.minus(entry.query, query) {
      differences.append("the recorded query has \(Self.shown(missing))")
    }
    for (own, recorded) in zip(headers, entry.headers) where !own.equalsExactly(recorded) {
      compare("the header field", own, with: recorded)
    }
    if !body.equalsExactly(entry.body) {
      compare("the body", Self.around(body, entry.body), with: Self.around(entry.body, body))
    }
    return differences
  }

  /// The entry of the tape that takes the fewest edits to become this request; nil when there is none.
  ///
  /// What comes first weighs most: a path that is one character off is nearer than another path with the same body.
  func nearest(of entries: [TapeMatch]) -> Int? {
    var nearest: (index: Int, distance: Int)?
    for (index, entry) in entries.enumerated() {
      let distance = distance(to: entry)
      if distance < nearest?.distance ?? .max { nearest = (index, distance) }
    }
    return nearest?.index
  }

  /// How many characters have to be inserted, removed or replaced, weighed by what they belong to.
  func distance(to entry: TapeMatch) -> Int {
    func edits(_ own: String, _ recorded: String) -> Int { EditDistance.between(own, recorded) }
    return 8 * edits(method, entry.method) + 4 * edits(host, entry.host) + 4 * edits(path, entry.path)
      + 2 * edits(query.joined(separator: "&"), entry.query.joined(separator: "&"))
      + edits(headers.joined(separator: "\n"), entry.headers.joined(separator: "\n"))
      + edits(body, entry.body)
  }

  private static func minus(_ left: [String], _ right: [String]) -> [String] {
    var rest = right
    return left.filter { one in
      guard let index = rest.firstIndex(where: one.equalsExactly) else { return true }
      rest.remove(at: index)
      return false
    }
  }

  private static func shown(_ text: String) -> String {
    text.isEmpty ? "empty" : text.count > 200 ? "\(text.prefix(197))…" : text
  }

  /// Where a long text begins to differ from another.
  private static func around(_ text: String, _ other: String) -> String {
    guard text.count > 80 else { return text }
    let same = zip(text, other).prefix { $0 == $1 }.count
    let start = text.index(text.startIndex, offsetBy: max(0, same - 20))
    return (same > 20 ? "…" : "") + text[start...].prefix(80)
  }
}
