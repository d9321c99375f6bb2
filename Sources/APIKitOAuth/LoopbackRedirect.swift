public import APIKit
import Foundation

/// Receives the redirect from a browser on this machine's loopback address (RFC 8252, 7.3), for command
/// lines and desktop applications.
///
/// ```swift
/// let redirect = try LoopbackRedirect()
/// let authorization = try oauth.authorization(redirectURI: redirect.uri)
/// // open authorization.url in the browser
/// let callback = try await redirect.callback(for: authorization)
/// let credential = try await oauth.credential(for: authorization, callback: callback)
/// ```
/// It listens only on 127.0.0.1, on a port chosen by the system, until the last reference is released.
/// While ``callback(for:within:)`` waits, requests for other paths, such as a browser's for its icon, get a
/// 404. Connections are served side by side and each for two seconds at most, so that none keeps the redirect
/// out; of more than 64 the oldest is closed. Several authorizations may be waited for at once.
public final class LoopbackRedirect: Sendable {
  /// The redirect URI to pass to the server. Servers for native applications accept any port on loopback.
  public let uri: String

  private let path: String
  private let port: UInt16
  private let listener: Int32
  private let pages: Pages
  private let waits = Mutex(Waits())
  /// How many connections are served at once, and how many more the system keeps waiting.
  private static let maximumVisitors = 64
  /// How long a connection is served. A browser sends its request at once and reads a small page.
  private static let visitLimit: Duration = .seconds(2)

  /// The pages for the browser.
  private struct Pages {
    let welcome: String
    let failure: String
    let nothing = "There is nothing here.\n"
  }

  /// The calls that wait for a redirect. They share the connections, because each may accept that of another.
  private struct Waits {
    struct Wait {
      /// Nil for any.
      let authorization: OAuthAuthorization?
      var redirect: (visitor: LoopbackVisitor, url: String)?
    }

    var waiting: [Int: Wait] = [:]
    var visitors: [LoopbackVisitor] = []
    private var last = 0

    mutating func begin(_ authorization: OAuthAuthorization?) -> Int {
      last += 1
      waiting[last] = Wait(authorization: authorization)
      return last
    }

    mutating func end(_ number: Int) {
      waiting[number] = nil
      if waiting.isEmpty { visitors = [] }
    }

    /// The wait that a URL is for: that of its authorization, before one for any.
    func number(for url: String) -> Int? {
      let open = waiting.filter { $0.value.redirect == nil }
      return open.first { $0.value.authorization?.isMatched(by: url) == true }?.key
        ?? open.filter { $0.value.authorization == nil }.keys.min()
    }

    /// Whether the redirect has come and the browser has its page: the port may close only then.
    func isOver(_ number: Int) -> Bool {
      guard let redirect = waiting[number]?.redirect else { return false }
      return !visitors.contains { $0 === redirect.visitor }
    }
  }

  /// Starts to listen.
  ///
  /// - Parameters:
  ///   - path: The path of the redirect URI, encoded and without a query; empty for a URI without a path. The default is
  ///     `/callback`.
  ///   - message: The text that the browser shows after the redirect.
  ///   - failureMessage: The text after a redirect with an error.
  /// - Throws: `APIError.Reason.misconfigured` when no port can be opened, and for a path that no browser sends so.
  public init(
    path: String = "/callback", message: String = "You are signed in. This window can be closed.",
    failureMessage: String = "You are not signed in. This window can be closed."
  ) throws(APIError) {
    guard Self.isSent(path) else {
      throw APIError(
        .auth, .misconfigured,
        "the path of the redirect must begin with a slash, be encoded and have no query",
        quote: path)
    }
    do throws(LoopbackSocket.Fault) {
      (listener, port) = try LoopbackSocket.listen(port: 0, backlog: Int32(Self.maximumVisitors))
    } catch {
      throw APIError(.auth, .misconfigured, "the redirect cannot \(error)")
    }
    // A browser asks for the root where the URI has no path.
    self.path = path.isEmpty ? "/" : path
    uri = "http://127.0.0.1:\(port)\(path)"
    pages = Pages(welcome: Self.page(message), failure: Self.page(failureMessage))
  }

  /// Whether a browser asks for the path as it is written.
  private static func isSent(_ path: String) -> Bool {
    guard !path.isEmpty else { return true }
    guard path.hasPrefix("/"), !path.contains(where: { $0 == "?" || $0 == "#" }),
      let url = try? HTTPURL("http://127.0.0.1\(path)"), let resolved = try? url.resolving("")
    else { return false }
    return resolved.path == path && path.utf8.allSatisfy { (0x21...0x7E).contains($0) }
  }

  private static func page(_ message: String) -> String {
    let text = String(decoding: message.utf8.flatMap(XMLReference.text), as: UTF8.self)
    return "<!doctype html><meta charset=utf-8><title>Sign-in</title><p>\(text)</p>\n"
  }

  deinit { LoopbackSocket.end(listener) }

  /// Waits for the redirect of this authorization and returns its URL.
  ///
  /// A request without the authorization's state gets a 404 and is ignored: any page in the user's browser
  /// can send one, and it must not end the sign-in.
  /// - Parameters:
  ///   - authorization: The authorization in progress, with ``uri`` as its redirect URI.
  ///   - limit: The longest wait; the default is 5 minutes.
  /// - Throws: `APIError.Reason.deadlineExceeded` when no redirect came within the limit,
  ///   `APIError.Reason.cancelled` when the task was cancelled.
  public func callback(
    for authorization: OAuthAuthorization, within limit: Duration = .seconds(300)
  ) async throws(APIError) -> String {
    try await callback(of: authorization, within: limit)
  }

  /// Waits for any request to the path and returns its URL, for ``OAuthClient/credential(for:callback:)``
  /// to check. For servers that do not return the state with their errors.
  ///
  /// - Parameter limit: The longest wait; the default is 5 minutes.
  /// - Throws: `APIError.Reason.deadlineExceeded` when no redirect came within the limit,
  ///   `APIError.Reason.cancelled` when the task was cancelled.
  public func callback(within limit: Duration = .seconds(300)) async throws(APIError) -> String {
    try await callback(of: nil, within: limit)
  }

  @concurrent private func callback(
    of authorization: OAuthAuthorization?, within limit: Duration
  ) async throws(APIError) -> String {
    let number = waits.withLock { $0.begin(authorization) }
    defer { waits.withLock { $0.end(number) } }
    let end = ContinuousClock.now + limit
    // Polling in short steps is fast enough for one redirect by a person.
    while ContinuousClock.now < end {
      guard !Task.isCancelled else { throw APIError(.auth, .cancelled, "nobody waits for the redirect") }
      let isOver = waits.withLock { waits in
        serve(&waits)
        return waits.isOver(number)
      }
      if isOver { break }
      try? await Task.sleep(for: .milliseconds(20))
    }
    if let url = waits.withLock({ $0.waiting[number]?.redirect?.url }) { return url }
    throw APIError(.auth, .deadlineExceeded, "the user did not come back within \(limit.shortText)")
  }

  /// Accepts connections and has all of them proceed, for whichever wait they are.
  private func serve(_ waits: inout Waits) {
    var accepted = 0
    while accepted < Self.maximumVisitors, let descriptor = LoopbackSocket.accept(listener, pauses: false) {
      accepted += 1
      waits.visitors.append(LoopbackVisitor(descriptor, until: .now + Self.visitLimit))
    }
    let visitors = waits.visitors
    waits.visitors = visitors.filter { visitor in
      let isOver = visitor.proceed { target in
        let url = "http://127.0.0.1:\(port)\(target)"
        let number = target.prefix { $0 != "?" } == path ? waits.number(for: url) : nil
        if let number { waits.waiting[number]?.redirect = (visitor, url) }
        return response(to: target, isRedirect: number != nil)
      }
      return !isOver
    }
    waits.visitors.removeFirst(max(0, waits.visitors.count - Self.maximumVisitors))
  }

  private func response(to target: String, isRedirect: Bool) -> [UInt8] {
    let isFailure = target.contains("?error=") || target.contains("&error=")
    let body = isRedirect ? isFailure ? pages.failure : pages.welcome : pages.nothing
    return Array(
      ("HTTP/1.1 \(isRedirect ? "200 OK" : "404 Not Found")\r\nContent-Type: text/html; charset=utf-8\r\n"
        + "Cache-Control: no-store\r\nReferrer-Policy: no-referrer\r\nContent-Length: \(body.utf8.count)\r\n"
        + "Connection: close\r\n\r\n" + body).utf8)
  }
}
