import APIKit
import Foundation

/// Where the words of a call go, with which header fields and as whom.
struct CallTarget {
  /// The URL, with the query of the items.
  private(set) var url: HTTPURL
  private(set) var headers = HTTPHeaders()
  /// The items that are neither header fields nor parts of the query.
  private(set) var data: [RequestItem] = []
  let redirects: RedirectPolicy
  let login: HTTPLogin?
  let signer: (any RequestSigner)?

  private enum Redirects: String, CaseIterable {
    case follow
    case refuse
    case sameOrigin = "same-origin"

    var policy: RedirectPolicy {
      switch self {
      case .follow: .follow
      case .refuse: .refuse
      case .sameOrigin: .sameOrigin
      }
    }
  }

  private enum AuthType: String, CaseIterable { case basic, digest, any, bearer }

  /// Reads the first operand as a URL and the others as items.
  init(_ arguments: ParsedArguments, isSocket: Bool = false) throws(UsageError) {
    url = try HTTPURL(typed: arguments.operands[0], isSocket: isSocket)
    redirects = (try arguments.choice("--redirects", Redirects.self) ?? .follow).policy
    signer = try SigningChoice.signer(arguments)
    let type = try arguments.choice("--auth-type", AuthType.self)
    let auth = try Self.secret(arguments)
    guard type == nil || auth != nil else { throw UsageError("--auth-type needs --auth") }
    login =
      type == .bearer ? nil : try auth.map { text throws(UsageError) in try Self.login(text, type ?? .basic) }
    if type == .bearer, let auth { headers.add("Authorization", "Bearer \(auth)") }
    for text in arguments.texts("--header") { try add(header: text) }
    for word in arguments.operands.dropFirst() { try add(RequestItem(word)) }
    do throws(APIError) { try headers.validate() } catch { throw UsageError(error.detail) }
  }

  /// Throws where there are data, for a command that sends none.
  func refuseData(name: String) throws(UsageError) {
    guard let item = data.first else { return }
    throw UsageError("\(name) sends no data when it opens; \(item.name)==VALUE is a parameter of the query")
  }

  private mutating func add(_ item: RequestItem) throws(UsageError) {
    switch item.kind {
    case .header, .emptyHeader: try add(item.name, item.value, isEmpty: item.kind == .emptyHeader)
    case .query:
      let encoding = PercentEncoding.component
      let pair = "\(encoding.encode(item.name))=\(encoding.encode(item.value))"
      do throws(APIError) { url = try url.appending(query: pair) } catch { throw UsageError(error.detail) }
    default: data.append(item)
    }
  }

  /// `Name: value`, or `Name;` for an empty value.
  private mutating func add(header text: String) throws(UsageError) {
    guard let colon = text.firstIndex(of: ":") else {
      guard text.hasSuffix(";") else { throw UsageError("\(text) is no header field: Name: value") }
      return try add(String(text.dropLast()), "", isEmpty: true)
    }
    try add(String(text[..<colon]), String(text[text.index(after: colon)...]), isEmpty: false)
  }

  private mutating func add(_ name: String, _ value: String, isEmpty: Bool) throws(UsageError) {
    let value = value.trimmingCharacters(in: .whitespaces)
    guard isEmpty || !value.isEmpty else {
      throw UsageError("\(name): has no value; \(name); sends an empty one")
    }
    headers.add(name, value)
  }

  /// What `--auth` says, itself or in the file that it names.
  private static func secret(_ arguments: ParsedArguments) throws(UsageError) -> String? {
    guard var text = arguments.text("--auth") else { return nil }
    if text.hasPrefix("@") {
      guard let data = InputFile.contents(String(text.dropFirst())) else {
        throw UsageError("--auth: \(text.dropFirst()) cannot be read")
      }
      text = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .newlines)
    }
    // A token of a variable that is not set would be sent as an empty one.
    guard !text.isEmpty else { throw UsageError("--auth is empty") }
    return text
  }

  private static func login(_ text: String, _ type: AuthType) throws(UsageError) -> HTTPLogin {
    guard let colon = text.firstIndex(of: ":") else {
      // The text itself may be a token.
      throw UsageError("--auth is USER:PASSWORD; for a token say --auth-type bearer")
    }
    let scheme: HTTPLogin.Scheme =
      switch type {
      case .digest: .digest
      case .any: .any
      case .basic, .bearer: .basic
      }
    return HTTPLogin(
      user: String(text[..<colon]), password: String(text[text.index(after: colon)...]), scheme: scheme)
  }
}
