/// Tells apart the responses of one key that depend on header fields of the request.
///
/// A response is stored with the request's values of the fields that its `Vary` names. It matches a later
/// request only with the same values: both absent, or equal when white space around commas is ignored.
/// - SeeAlso: <https://www.rfc-editor.org/rfc/rfc9111#section-4.1>
struct VaryMatcher: Sendable, Hashable {
  /// One field that the response depends on, in lower case, and its value in the request; nil when absent.
  struct Field: Sendable, Hashable {
    var name: String
    var value: String?

    static func == (left: Self, right: Self) -> Bool {
      left.name == right.name && left.value.equalsExactly(right.value)
    }

    func hash(into hasher: inout Hasher) {
      hasher.combine(name)
      hasher.combine(value.map(ExactText.init))
    }
  }

  /// The fields, sorted by name.
  var fields: [Field] = []

  /// Whether the response may be used for a request.
  func matches(_ request: HTTPHeaders) -> Bool {
    fields.allSatisfy { Self.normal(request.combined($0.name)).equalsExactly($0.value) }
  }

  /// Whether the response has `Vary: *`, which matches no request.
  static func matchesNothing(_ response: HTTPHeaders) -> Bool {
    response.values("Vary").contains { names($0).contains("*") }
  }

  /// Whether a response depends on a secret of the request, such as a cookie.
  var hasSecrets: Bool { fields.contains { $0.value != nil && SecretNames.contains($0.name) } }

  /// Tells apart the variants of one key: a digest of the names in the upper half, of names and values in the lower one.
  var word: Int64 {
    let (names, all) = (
      CacheKey(texts: fields.map(\.name)), CacheKey(texts: fields.flatMap { [$0.name, $0.value] })
    )
    return names.word & ~0xFFFF_FFFF | all.word & 0xFFFF_FFFF
  }

  private static func names(_ line: String) -> [String] {
    line.lowercased().listElements.filter { !$0.isEmpty }
  }

  private static func normal(_ value: String?) -> String? {
    guard let value else { return nil }
    guard value.utf8.contains(UInt8(ascii: ",")) else { return value.trimmingSpaces() }
    return value.listElements.joined(separator: ",")
  }
}

extension VaryMatcher {
  /// Takes the names from the response's `Vary` and the values from the request.
  init(response: HTTPHeaders, request: HTTPHeaders) {
    let names = response.values("Vary").flatMap(Self.names)
    fields = Set(names).sorted().map { Field(name: $0, value: Self.normal(request.combined($0))) }
  }
}
