import Foundation

extension HTTPHeaders {
  /// The header fields of a client unless its configuration has others: `User-Agent`, made by
  /// ``userAgent(application:version:)`` of this process, and `Accept-Language`, made by ``acceptLanguage(_:)`` of the
  /// user's preferred languages where the system knows them. Read once in the life of a process.
  public static let standard: HTTPHeaders = {
    var headers = HTTPHeaders()
    let (name, version) = ClientDescription.application
    headers.add("User-Agent", userAgent(application: name, version: version))
    let languages = acceptLanguage(ClientDescription.languages)
    if !languages.isEmpty { headers.add("Accept-Language", languages) }
    return headers
  }()

  /// The value of `User-Agent` for an application: `Listings/2.4 APIKit/0.2.0 (Linux 6.1)`, that is application, its
  /// version if it is given, framework and system (RFC 9110, 10.1.5).
  ///
  /// Characters that a product's name does not allow are replaced by hyphens.
  public static func userAgent(application: String, version: String? = nil) -> String {
    var products = [ClientDescription.token(application)]
    if let version { products[0] += "/" + ClientDescription.token(version) }
    products.append("APIKit/" + ClientDescription.frameworkVersion)
    return products.joined(separator: " ") + " (\(ClientDescription.system))"
  }

  /// The value of `Accept-Language` for languages in order of preference: `zh-Hans, en;q=0.9, de;q=0.8` (RFC 9110,
  /// 12.5.4). The first six are used; empty for none.
  public static func acceptLanguage(_ languages: [String]) -> String {
    languages.prefix(6).enumerated()
      .map { $0 == 0 ? $1 : "\($1);q=0.\(10 - $0)" }.joined(separator: ", ")
  }

  /// Whether a field says what the client is and takes, and nothing about on whose behalf it asks.
  static func describesClient(_ name: String) -> Bool {
    equal(name, "User-Agent") || equal(name, "Accept") || equal(String(name.prefix(7)), "Accept-")
  }
}

/// The names of this process, its user's languages and its system.
package enum ClientDescription {
  /// The version of the framework, raised with each release.
  package static let frameworkVersion = "0.2.0"

  /// The bundle's name and version on Apple systems; elsewhere the program's name.
  static var application: (name: String, version: String?) {
    let process = ProcessInfo.processInfo.processName
    #if canImport(Darwin)
      let info = Bundle.main.infoDictionary
      return (
        info?["CFBundleName"] as? String ?? process, info?["CFBundleShortVersionString"] as? String
      )
    #else
      return (process, nil)
    #endif
  }

  /// The system and the first two numbers of its version.
  static var system: String {
    #if os(macOS)
      let name = "macOS"
    #elseif os(iOS)
      let name = "iOS"
    #elseif os(tvOS)
      let name = "tvOS"
    #elseif os(watchOS)
      let name = "watchOS"
    #elseif os(visionOS)
      let name = "visionOS"
    #elseif os(Linux)
      let name = "Linux"
    #else
      let name = "unknown"
    #endif
    let version = ProcessInfo.processInfo.operatingSystemVersion
    return "\(name) \(version.majorVersion).\(version.minorVersion)"
  }

  /// The user's languages in order of preference.
  static var languages: [String] {
    #if canImport(Darwin)
      Locale.preferredLanguages
    #else
      languages(in: ProcessInfo.processInfo.environment)
    #endif
  }

  /// The languages that the variables of POSIX and gettext name: `LANGUAGE` is a list, which counts unless the locale
  /// is the C locale.
  static func languages(in environment: [String: String]) -> [String] {
    let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
    guard let locale, let language = tag(locale) else { return [] }
    var tags: [String] = []
    for next in (environment["LANGUAGE"] ?? "").split(separator: ":").compactMap({ tag(String($0)) }) + [
      language
    ]
    where !tags.contains(next) {
      tags.append(next)
    }
    return tags
  }

  /// `de_DE.UTF-8@euro` as `de-DE`; nil for the C locale and for what is no language.
  private static func tag(_ locale: String) -> String? {
    let name = locale.prefix { $0 != "." && $0 != "@" }.replacing("_", with: "-")
    let isTag = name.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || byte == 0x2D
    }
    return isTag && name.utf8.count > 1 && name != "POSIX" ? String(name) : nil
  }

  /// A text as a token of RFC 9110, 5.6.2.
  static func token(_ text: String) -> String {
    let token = String(
      decoding: text.utf8.map { HTTPToken.contains($0) ? $0 : UInt8(ascii: "-") }, as: UTF8.self)
    return token.isEmpty ? "-" : token
  }
}
