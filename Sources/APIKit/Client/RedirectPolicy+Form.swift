extension RedirectPolicy: Written {
  static let form = WrittenForm<Self>(
    name: "RedirectPolicy", start: { .follow },
    members: [
      .plain("rule", \.kind), .plain("limit", \.limit), .plain("allowsDowngrade", \.allowsDowngrade),
      .texts("publicHeaders", \.publicHeaders),
    ])
}

extension RedirectPolicy.Kind: WrittenCases {
  var written: WrittenCase {
    get throws {
      switch self {
      case .follow: return WrittenCase("follow")
      case .refuse: return WrittenCase("refuse")
      case .sameOrigin: return WrittenCase("sameOrigin")
      case .rewrite:
        throw APIError(.assembly, .unwritableForm, "a closure that rewrites redirects has no written form")
      }
    }
  }

  static func read(_ one: WrittenCase.Reader) throws -> Self? {
    switch one.name {
    case "follow": .follow
    case "refuse": .refuse
    case "sameOrigin": .sameOrigin
    default: nil
    }
  }
}
