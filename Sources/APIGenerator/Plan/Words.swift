/// Makes Swift names of any text.
enum Words {
  /// Words that are written in one case, as the API design guidelines want it.
  private static let acronyms: Set<String> = [
    "id", "url", "uri", "uuid", "guid", "http", "https", "html", "json", "xml", "csv", "pdf", "ip", "api",
    "sms", "mms",
    "ssl", "tls", "ssh", "sso", "sha", "md5", "utc", "gpg", "jwt", "pem", "cvc", "cvv", "iban",
  ]

  /// The words of a text: `petId`, `pet_id`, `pet-id` and `Pet ID` are all `pet`, `id`.
  static func words(_ text: String) -> [String] {
    var words: [String] = []
    var word = String.UnicodeScalarView()
    var previous = Kind.other
    func end() {
      if !word.isEmpty { words.append(String(word)) }
      word = String.UnicodeScalarView()
    }
    let scalars = Array(text.unicodeScalars.prefix(200))
    for (index, scalar) in scalars.enumerated() {
      let kind = Kind(scalar)
      let next = index + 1 < scalars.count ? Kind(scalars[index + 1]) : .other
      switch kind {
      case .other: end()
      case .upper where previous == .lower || previous == .digit || previous == .upper && next == .lower:
        // The plural of an acronym, `IDs`, is one word.
        if !(previous == .upper && index + 2 == scalars.count && scalars[index + 1] == "s") { end() }
        word.append(scalar)
      default: word.append(scalar)
      }
      previous = kind
    }
    end()
    return words
  }

  private enum Kind {
    case upper, lower, digit, other

    /// Letters of any script, in their composed form, and the digits of ASCII.
    init(_ scalar: Unicode.Scalar) {
      switch scalar.properties.generalCategory {
      case .uppercaseLetter, .titlecaseLetter: self = .upper
      case .lowercaseLetter: self = .lower
      case .otherLetter: self = .lower
      case .decimalNumber: self = scalar.isASCII ? .digit : .other
      default: self = .other
      }
      // Compatibility forms look like other letters, and some of them the compiler does not take.
      if !scalar.isASCII, !(0xC0...0x2FFF).contains(scalar.value), !(0x3041...0xD7A3).contains(scalar.value) {
        self = .other
      }
      if scalar.value == 0xD7 || scalar.value == 0xF7 { self = .other }
    }
  }

  /// A name of a type: `HomeID`. Empty where the text has no letter and no digit.
  static func type(_ text: String) -> String { words(text).map(capitalized).joined() }

  /// Whether a text is a name of a type as it stands: letters and digits, the first a capital one where the script has them.
  static func isType(_ text: String) -> Bool {
    guard let first = text.first, !first.isNumber, !first.isLowercase else { return false }
    return words(text).joined() == text
  }

  /// A name of a member: `homeID`.
  static func member(_ text: String) -> String {
    let words = words(text)
    guard let first = words.first else { return "" }
    return first.lowercased() + words.dropFirst().map(capitalized).joined()
  }

  private static func capitalized(_ word: String) -> String {
    let lower = word.lowercased()
    if acronyms.contains(lower) { return lower.uppercased() }
    if lower.last == "s", acronyms.contains(String(lower.dropLast())) {
      return lower.dropLast().uppercased() + "s"
    }
    return lower.prefix(1).uppercased()
      + (word.contains(where: \.isLowercase) ? String(word.dropFirst()) : lower.dropFirst().description)
  }

  /// The name of a type that is no reserved word and begins with a letter.
  static func typeName(_ text: String, suffix: String = "Model") -> String {
    var name = type(text)
    if name.isEmpty { name = "Unnamed" }
    if name.first?.isNumber == true { name = "N" + name }
    return SwiftNames.isTaken(name) ? name + suffix : name
  }

  /// The name of a member that is no reserved word and begins with a letter.
  static func memberName(_ text: String) -> String {
    var name = member(text)
    if name.isEmpty { name = signs(text) }
    if name.first?.isNumber == true { name = "n" + name }
    return SwiftNames.keywords.contains(name) || SwiftNames.members.contains(name) ? name + "Value" : name
  }

  /// The name of a value of an enumeration.
  static func valueName(_ text: String) -> String {
    let sign =
      text.utf8.first == UInt8(ascii: "-") ? "minus" : text.utf8.first == UInt8(ascii: "+") ? "plus" : ""
    var name = member(text)
    if name.isEmpty { return text.isEmpty ? "empty" : signs(text) }
    if !sign.isEmpty { name = sign + name.prefix(1).uppercased() + name.dropFirst() }
    if name.first?.isNumber == true { name = "value" + name }
    // Where an optional is wanted, `.none` is no value.
    if name == "none" { return "noneValue" }
    return SwiftNames.keywords.contains(name) || SwiftNames.members.contains(name) ? name + "Value" : name
  }

  /// The name of a case for a status: its phrase (RFC 9110).
  static func statusName(_ status: String) -> String {
    let names = [
      "200": "ok", "201": "created", "202": "accepted", "203": "nonAuthoritativeInformation",
      "204": "noContent", "205": "resetContent", "206": "partialContent", "207": "multiStatus",
      "208": "alreadyReported", "226": "imUsed", "2XX": "success",
    ]
    return names[status] ?? "status\(status)"
  }

  /// A name for a text that has neither letters nor digits, e.g. `*`.
  private static func signs(_ text: String) -> String {
    let names: [Unicode.Scalar: String] = [
      "*": "Any", "+": "Plus", "-": "Minus", "<": "Less", ">": "Greater", "=": "Equal", "!": "Not",
      "/": "Slash",
      "$": "Dollar", "#": "Number", "@": "At", "_": "Underscore", ".": "Dot", "%": "Percent", "&": "And",
    ]
    let words = text.unicodeScalars.prefix(8).compactMap { names[$0] }
    return words.isEmpty ? "unnamed" : "sign" + words.joined()
  }
}

/// Gives each name once.
struct NameTable {
  private var taken: Set<String> = []
  /// The number to try next for a name, so that many of one name take no time.
  private var numbers: [String: Int] = [:]

  init(_ taken: some Sequence<String> = []) { self.taken = Set(taken) }

  /// The name, or one with the first number before its suffix that makes it one of its own.
  mutating func unique(_ name: String, suffix: String = "") -> String {
    if taken.insert(name + suffix).inserted { return name + suffix }
    var number = numbers[name + suffix] ?? 2
    while !taken.insert("\(name)\(number)\(suffix)").inserted { number += 1 }
    numbers[name + suffix] = number + 1
    return "\(name)\(number)\(suffix)"
  }
}
