/// Tells apart answers to one key that depend on header fields of the request.
///
/// An answer is stored with the values that the fields named by its `Vary` had; a later request gets it only
/// when its own values are the same: both absent, or equal after white space around commas is set aside.
/// - SeeAlso: <https://www.rfc-editor.org/rfc/rfc9111#section-4.1>
struct VaryMatcher: Sendable, Hashable {
  /// One field that the answer depends on, in lower case, and the request's value of it.
  struct Field: Sendable, Hashable {
    var name: String
    var value: String?
  }

  /// The fields, sorted by name.
  var fields: [Field]

  /// Depends on nothing.
  init() { fields = [] }

  init(fields: [Field]) { self.fields = fields }

  /// What the answer depends on, as the request had it.
  init(response: HTTPHeaders, request: HTTPHeaders) {
    let names = response.values("Vary").flatMap(Self.names)
    fields = Set(names).sorted().map { Field(name: $0, value: Self.normal(request.combined($0))) }
  }

  /// Whether the answer may serve a request.
  func matches(_ request: HTTPHeaders) -> Bool {
    fields.allSatisfy { Self.normal(request.combined($0.name)) == $0.value }
  }

  /// Whether the answer depends on what no request can repeat.
  static func matchesNothing(_ response: HTTPHeaders) -> Bool {
    response.values("Vary").contains { names($0).contains("*") }
  }

  /// The digest that tells the variants of one key apart.
  var digest: CacheKey { CacheKey(texts: fields.flatMap { [$0.name, $0.value] }) }

  private static func names(_ line: String) -> [String] {
    line.lowercased().listElements.filter { !$0.isEmpty }
  }

  private static func normal(_ value: String?) -> String? {
    guard let value else { return nil }
    guard value.utf8.contains(UInt8(ascii: ",")) else { return value.trimmingSpaces() }
    return value.listElements.joined(separator: ",")
  }
}
