import Synchronization

/// The names whose values are secrets: of header fields, parameters, members of JSON, elements of XML and parts of forms.
///
/// The one list of the framework. Whatever prints such values shows `•••` in their place: descriptions, records,
/// ``HTTPRequest/curlCommand(maskingSecrets:)``. It knows the usual names; ``add(_:)-(String...)`` those of an application:
///
/// ```swift
/// SecretNames.add("member-card", "x-tenant-pass")
/// ```
/// Header fields that a ``RequestSigner`` sets and those that carry a credential are added when they are first used; of a
/// signer of the application's own that has other fields in each instance, those of the first.
/// Safe on any thread.
public enum SecretNames {
  /// Whether a value of this name is a secret.
  ///
  /// Case, `-`, `_` and spaces make no difference, and each part of a compound name counts: `user[pin]`, `card.cvc`,
  /// `ns:Password`. Secret are: names that contain `token`, `secret`, `password`, `credential`, `signature` or the
  /// like; a word `pin`, `otp`, `pwd` or the like, also in `pinCode` and `user_pin`; and `code`, `key`, `sign`,
  /// `session`, `ticket`, `cookie`, `authorization` and others that are the whole name; not `token_type`, and no name that
  /// ends with `endpoint` or `supported`. A name too many costs a look
  /// at the original, one too few a secret.
  public static func contains(_ name: String) -> Bool {
    if let known = lists.withLock({ $0.verdicts[name] }) { return known }
    let parts = name.split(whereSeparator: { separators.contains($0) })
    let own = lists.withLock { $0.own }
    let verdict = isSecret(name[...], own) || parts.count > 1 && parts.contains { isSecret($0, own) }
    lists.withLock { lists in
      if lists.verdicts.count >= mostVerdicts { lists.verdicts = [:] }
      if lists.own.count == own.count { lists.verdicts[name] = verdict }
    }
    return verdict
  }

  /// Adds names of the application's, for the rest of the process.
  public static func add(_ names: String...) { add(names) }

  static func add(_ names: some Sequence<String>) {
    lists.withLock { lists in
      for name in names where !lists.own.contains(plain(name[...])) {
        lists.own.insert(plain(name[...]))
        lists.verdicts = [:]
      }
    }
  }

  /// Whether the fields that a type of signers sets are known.
  static func knows(_ type: any Any.Type) -> Bool {
    let id = ObjectIdentifier(type)
    // Asked for every signed attempt, and nearly always about the same type.
    let bits = UInt(bitPattern: id)
    if lastLearnt.load(ordering: .relaxed) == bits { return true }
    guard lists.withLock({ $0.types.contains(id) }) else { return false }
    lastLearnt.store(bits, ordering: .relaxed)
    return true
  }

  /// Notes the fields that a type of signers has set. Only a signature that was made tells them.
  static func learn(_ type: any Any.Type, fields: some Sequence<String>) {
    add(fields: fields)
    lists.withLock { _ = $0.types.insert(ObjectIdentifier(type)) }
  }

  /// Adds the names of header fields that authenticate, except those that every message may have, such as a signed
  /// `Date`.
  static func add(fields names: some Sequence<String>) {
    add(names.filter { !ordinary.contains(plain($0[...])) })
  }

  private static let ordinary: Set<String> = [
    "accept", "acceptencoding", "acceptlanguage", "contentdigest", "contentencoding", "contentlength",
    "contentmd5",
    "contenttype", "date", "digest", "host", "origin", "range", "referer", "useragent",
  ]

  /// What takes the place of a secret.
  package static let mark = "•••"

  // MARK: Insides

  private struct Lists {
    /// Names of the application's, plain.
    var own: Set<String> = []
    /// The signers whose fields are among them.
    var types: Set<ObjectIdentifier> = []
    /// What was found out about names. The same few are asked for again and again.
    var verdicts: [String: Bool] = [:]
  }
  private static let lists = Mutex(Lists())
  /// The type of signers that ``knows(_:)`` was asked about last.
  private static let lastLearnt = Atomic<UInt>(0)
  private static let mostVerdicts = 512

  private static func isSecret(_ name: Substring, _ own: Set<String>) -> Bool {
    let plain = plain(name)
    guard !plain.isEmpty, !openEnds.contains(where: plain.hasSuffix) || own.contains(plain) else {
      return false
    }
    return whole.contains(plain) || fragments.contains { plain.contains($0) }
      || words(of: name).contains { words.contains($0) } || own.contains(plain)
  }

  /// The name in lower case, without what separates its words.
  private static func plain(_ name: Substring) -> String {
    name.lowercased().filter { $0 != "-" && $0 != "_" && $0 != " " }
  }

  /// `pin` and `code` of `pinCode`, `PIN_code` and `pin-code`.
  private static func words(of name: Substring) -> [String] {
    var words: [String] = []
    var wasLower = false
    for character in name {
      if !character.isLetter && !character.isNumber {
        words.append("")
        wasLower = false
        continue
      }
      if words.isEmpty || character.isUppercase && wasLower { words.append("") }
      words[words.count - 1] += character.lowercased()
      wasLower = character.isLowercase
    }
    return words
  }

  private static let separators: Set<Character> = ["[", "]", ".", "/", ":", "@"]

  /// Secret wherever they stand in a name.
  private static let fragments = [
    "token", "secret", "signature", "password", "passwd", "passwort", "passcode", "passphrase", "credential",
    "assertion", "apikey", "accesskey", "appkey", "applicationkey", "privatekey", "secretkey", "sessionid",
    "sessionkey", "codeverifier", "devicecode", "usercode", "authcode", "authorizationcode",
    "verificationcode",
    "securitycode", "smscode", "setcookie", "proxyauthorization", "samlresponse", "samlrequest", "bearer",
  ]
  /// How names end whose values everybody may know, although they speak of tokens: `token_endpoint`, `token_type`,
  /// `token_endpoint_auth_methods_supported` (RFC 6749, 8414).
  private static let openEnds = ["endpoint", "tokentype", "tokentypehint", "supported"]
  /// Secret as a word of a name.
  private static let words: Set<String> = [
    "pin", "otp", "totp", "pwd", "pass", "passwd", "sid", "jwt", "cvc", "cvv", "ssn", "mfa", "puk",
  ]
  /// Secret as the whole name.
  private static let whole: Set<String> = [
    "authorization", "xauthorization", "cookie", "code", "key", "ak", "sk", "sign", "xsign", "sig", "session",
    "ticket", "captcha", "auth", "loginhint",
  ]
}
