/// The names whose values are secrets: of header fields, parameters, members of JSON, elements of XML and parts of forms.
///
/// The framework has one list. Every text that contains such a value shows `•••` in its place: descriptions, records,
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
  /// A name is split into words at case, digits, `-`, `_`, `.`, spaces and the separators of compound names (`user[pin]`,
  /// `ns:Password`). It is secret when one of them is `key`, `token`, `secret`, `password`, `session`, `signature`,
  /// `hmac`, `auth`, `credential`, `cookie`, `pin`, `otp`, `csrf` or the like, when it contains `token`, `secret`, `password` or
  /// the like without a separator, and when `code`, `sign`, `ticket` or the like is the whole of it. Not secret are names
  /// that end with `timestamp`, `nonce`, `endpoint` or `supported`, and a few whole names: `Idempotency-Key`, `X-Key-ID`,
  /// `partition_key`, `primaryKey`, `token_type` and others. The rules mask too much rather than too little.
  public static func contains(_ name: String) -> Bool {
    if let known = lists.withLock({ $0.verdicts[name] }) { return known }
    let own = lists.withLock { $0.own }
    let verdict = isSecret(name, own)
    lists.withLock { lists in
      if lists.verdicts.count >= mostVerdicts { lists.verdicts = [:] }
      // A server may send names of any length.
      if lists.own.count == own.count, name.utf8.count <= 64 { lists.verdicts[name] = verdict }
    }
    return verdict
  }

  /// Adds names of the application's, for the rest of the process.
  public static func add(_ names: String...) { add(names) }

  package static func add(_ names: some Sequence<String>) {
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
    let bits = Int(bitPattern: id)
    if lastLearnt.load() == bits { return true }
    guard lists.withLock({ $0.types.contains(id) }) else { return false }
    lastLearnt.store(bits)
    return true
  }

  /// Notes the fields that a type of signers has set. Only a signature that was made tells them.
  static func learn(_ type: any Any.Type, fields: some Sequence<String>) {
    add(fields: fields)
    lists.withLock { _ = $0.types.insert(ObjectIdentifier(type)) }
  }

  /// Adds the names of header fields that authenticate, except those that every message may have, such as a signed
  /// `Date`, and those that are known to be no secrets, such as a nonce.
  package static func add(fields names: some Sequence<String>) {
    add(names.filter { !ordinary.contains(plain($0[...])) && !isOpen($0[...]) })
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
  private static let lastLearnt = AtomicInt()
  private static let mostVerdicts = 512

  private static func isSecret(_ name: String, _ own: Set<String>) -> Bool {
    if own.contains(plain(name[...])) { return true }
    // The whole first: `key.id` is no secret, although `key` is.
    guard !isOpen(name[...]) else { return false }
    return name.split { separators.contains($0) }.contains { part in
      let plain = plain(part)
      if own.contains(plain) { return true }
      guard !isOpen(part) else { return false }
      return whole.contains(plain) || fragments.contains { plain.contains($0) }
        || Self.words(of: part).contains { words.contains($0) }
    }
  }

  /// Whether it is known to be no secret.
  private static func isOpen(_ name: Substring) -> Bool {
    let plain = plain(name)
    return openEnds.contains(where: plain.hasSuffix) || openNames.contains(plain)
      || name.lowercased().hasPrefix("x-") && openNames.contains(String(plain.dropFirst()))
  }

  /// The name in lower case, without what separates its words.
  private static func plain(_ name: Substring) -> String {
    name.lowercased().filter { $0 != "-" && $0 != "_" && $0 != " " && $0 != "." }
  }

  /// `api` and `key` of `apiKey`, `APIKey`, `API_key`, `api-key2`.
  private static func words(of name: Substring) -> [String] {
    var words: [String] = []
    var word = ""
    let characters = Array(name)
    for (index, character) in characters.enumerated() {
      let isLetter = character.isLetter
      let follows = index > 0 && characters[index - 1].isLetter
      // A capital begins a word behind a small letter, and the last of several behind the others.
      let begins =
        isLetter && character.isUppercase && follows
        && (characters[index - 1].isLowercase
          || index + 1 < characters.count && characters[index + 1].isLowercase)
      if !isLetter || begins {
        if !word.isEmpty { words.append(word) }
        word = ""
      }
      if isLetter { word += character.lowercased() }
    }
    return word.isEmpty ? words : words + [word]
  }

  private static let separators: Set<Character> = ["[", "]", ".", "/", ":", "@"]

  /// Secret wherever they stand in a name.
  private static let fragments = [
    "token", "secret", "signature", "password", "passwd", "passwort", "passcode", "passphrase", "credential",
    "assertion", "apikey", "accesskey", "appkey", "applicationkey", "privatekey", "secretkey", "sessionid",
    "sessionkey", "sessid", "codeverifier", "devicecode", "usercode", "authcode", "authorizationcode",
    "verificationcode", "securitycode", "smscode", "setcookie", "proxyauthorization", "samlresponse",
    "samlrequest", "bearer", "loginticket",
  ]
  /// How names end whose values everybody may know, although they speak of tokens: `token_endpoint`, `token_type`,
  /// `token_endpoint_auth_methods_supported` (RFC 6749, 8414). A time and a number used once open nothing.
  private static let openEnds = ["endpoint", "tokentype", "tokentypehint", "supported", "timestamp", "nonce"]
  /// Whole names with such a word whose values everybody may know, with and without `X-` before them.
  private static let openNames: Set<String> = [
    "idempotencykey", "keyid", "publickey", "publickeypins", "partitionkey", "primarykey", "foreignkey",
    "sortkey", "rangekey", "hashkey", "cachekey", "surrogatekey", "routingkey", "keyname", "keytype",
    "keycode", "publickeys", "primarykeys", "foreignkeys", "sortkeys",
    "keypath", "secwebsocketkey", "accesscontrolallowcredentials", "authtime", "authtype", "authmethod",
    "cookieconsent", "cookiepolicy", "signaturemethod", "signaturealgorithm", "signatureversion",
    "oauthsignaturemethod", "hmacalgorithm", "maxtokens", "prompttokens", "completiontokens", "totaltokens",
  ]
  /// Secret as a word of a name.
  private static let words: Set<String> = [
    "key", "token", "secret", "password", "passwd", "session", "signature", "sig", "hmac", "auth",
    "authorization",
    "credential",
    "cookie", "cookies", "pin", "otp", "totp", "pwd", "pass", "sid", "jwt", "cvc", "cvv",
    "ssn", "mfa", "puk", "keys", "pins", "otps", "csrf", "xsrf", "verifier",
  ]
  /// Secret as the whole name.
  private static let whole: Set<String> = [
    "code", "ak", "sk", "sign", "xsign", "ticket", "captcha", "loginhint",
    "dpop",
  ]
}
