extension CookieJar.Limits: Written {
  static let form = WrittenForm<Self>(
    name: "CookieJar.Limits", start: { Self() },
    members: [.plain("perDomain", \.perDomain), .plain("total", \.total)])
}

extension CookieJar.AcceptPolicy: WrittenCases {
  var written: WrittenCase {
    switch self {
    case .always: WrittenCase("always")
    case .never: WrittenCase("never")
    case .firstParty(let domains): WrittenCase("firstParty", domains)
    }
  }

  static func read(_ one: WrittenCase.Reader) throws -> Self? {
    switch one.name {
    case "always": .always
    case "never": .never
    case "firstParty": .firstParty(try one.value())
    default: nil
    }
  }
}
