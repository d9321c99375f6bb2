/// Domains under which anyone may register names, so that no cookie may be set for them.
///
/// By the Public Suffix List as libpsl has it, where libpsl is in the process; otherwise these are all single labels
/// (`com`, `localhost`) and the most common second-level domains of registries and hosts, which is not the whole list:
/// an application that loads from arbitrary hosts can give ``CookieJar`` a test of its own.
/// - SeeAlso: <https://publicsuffix.org>
enum PublicSuffix {
  static func contains(_ domain: String) -> Bool {
    guard domain.utf8.contains(UInt8(ascii: ".")) else { return true }
    #if os(Linux)
      if let list = SystemSuffixList.shared { return list.contains(domain) }
    #endif
    return isBuiltIn(domain)
  }

  /// The name of the list that decides, see ``CookieJar/publicSuffixSource``.
  static var source: String {
    #if os(Linux)
      if let list = SystemSuffixList.shared { return "libpsl \(list.version)" }
    #endif
    return "built in"
  }

  /// Whether a domain of several labels is one of the common suffixes.
  static func isBuiltIn(_ domain: String) -> Bool { secondLevel.contains(domain) }

  private static let secondLevel: Set<String> = {
    let registries = [
      "ar": "com net org gob edu", "au": "com net org edu gov id", "br": "com net org gov edu",
      "cn": "com net org gov edu ac", "hk": "com net org gov edu", "id": "co or go ac web",
      "il": "co org net ac gov", "in": "co net org firm gen ind ac edu gov",
      "jp": "co ne or go ac ad ed gr lg",
      "kr": "co ne or go ac re pe", "mx": "com net org gob edu", "my": "com net org gov edu",
      "nz": "co net org govt ac geek school", "ph": "com net org gov edu", "pk": "com net org gov edu",
      "sg": "com net org gov edu per", "th": "co in or go ac", "tr": "com net org gov edu bel k12",
      "tw": "com net org gov edu idv", "ua": "com net org gov edu in",
      "uk": "co org ltd plc me net gov ac sch nhs",
      "vn": "com net org gov edu", "za": "co net org gov ac web",
    ]
    var all: Set<String> = [
      "github.io", "gitlab.io", "pages.dev", "workers.dev", "vercel.app", "netlify.app", "herokuapp.com",
      "web.app", "firebaseapp.com", "appspot.com", "run.app", "azurewebsites.net", "cloudfront.net",
      "s3.amazonaws.com", "blogspot.com", "fly.dev", "onrender.com",
    ]
    for (top, names) in registries {
      for name in names.split(separator: " ") { all.insert("\(name).\(top)") }
    }
    return all
  }()
}
