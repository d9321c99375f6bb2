import APIKit
import APIKitReports
import Foundation

/// One request to the console, as it was read from a connection.
struct ConsoleRequest: Sendable, Equatable {
  var method = ""
  /// The path and the query.
  var target = ""
  /// Names in lower case.
  var headers: [String: String] = [:]
  var body: [UInt8] = []

  /// The longest head, and the longest body.
  static let maximumHead = 16 << 10
  static let maximumBody = 16 << 10

  /// What was read of a request so far.
  enum Reading: Equatable {
    case incomplete
    case complete(ConsoleRequest)
    /// It cannot be one, or is too long; with the status of the response.
    case refused(Int)
  }

  /// Reads a request from the bytes that have arrived. Bytes behind it are ignored: a connection carries one request.
  static func read(_ bytes: [UInt8]) -> Reading {
    guard let end = bytes.firstRange(of: "\r\n\r\n".utf8) else {
      return bytes.count > maximumHead ? .refused(431) : .incomplete
    }
    guard end.lowerBound <= maximumHead else { return .refused(431) }
    let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
      .split(separator: "\r\n", omittingEmptySubsequences: false)
    let words = lines[0].split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 3, words[1].hasPrefix("/"), words[2] == "HTTP/1.1" || words[2] == "HTTP/1.0" else {
      return .refused(400)
    }
    var request = ConsoleRequest(method: String(words[0]), target: String(words[1]))
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { return .refused(400) }
      let name = line[..<colon].lowercased()
      // A name that another reader may take for one without the space is a trick, too (RFC 9112, 5.1).
      guard !name.isEmpty, !name.contains(where: \.isWhitespace) else { return .refused(400) }
      // Two hosts or lengths are a trick (RFC 9112, 3.2 and 6.3).
      guard request.headers[name] == nil || name != "host" && name != "content-length" && name != "origin"
      else {
        return .refused(400)
      }
      request.headers[name] = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
    }
    guard request.headers["transfer-encoding"] == nil else { return .refused(411) }
    let length = request.headers["content-length"] ?? "0"
    guard let count = Int(length), count >= 0, length.utf8.allSatisfy({ (48...57).contains($0) }) else {
      return .refused(400)
    }
    guard count <= maximumBody else { return .refused(413) }
    let rest = bytes[end.upperBound...]
    guard rest.count >= count else { return .incomplete }
    request.body = Array(rest.prefix(count))
    return .complete(request)
  }

  /// Whether it may have been sent by the console's own page, and comes to the console's own address; nil when it may, else the
  /// status of the refusal.
  ///
  /// A page of another origin may have its name lead to this address (DNS rebinding): `Host` is that name then. A form of
  /// another page has its `Origin`.
  func refusal(port: UInt16) -> Int? {
    var hosts = ["127.0.0.1:\(port)", "localhost:\(port)"]
    // A browser leaves out the port of the scheme.
    if port == 80 { hosts += ["127.0.0.1", "localhost"] }
    guard let host = headers["host"], hosts.contains(host) else { return 421 }
    if let origin = headers["origin"], origin != "http://\(host)" { return 403 }
    if let site = headers["sec-fetch-site"], site != "same-origin", site != "none" { return 403 }
    return nil
  }

  /// The path behind the token; nil where the token is another one.
  ///
  /// All bytes are compared, so that the time does not say how many were right.
  func path(behind token: String) -> String? {
    let path = target.prefix { $0 != "?" }
    let parts = path.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0].isEmpty else { return nil }
    return Crypto.constantTimeEquals(parts[1].utf8, token.utf8) ? String(parts[2]) : nil
  }
}

/// What the console responds with.
struct ConsoleResponse: Sendable {
  var status = 200
  var type = "text/plain; charset=utf-8"
  var body: [UInt8] = []
  /// What the page may load; nothing by default.
  var policy = "default-src 'none'; frame-ancestors 'none'"
  /// Whether it stays open for events.
  var isStream = false

  init(_ status: Int = 200, _ text: String = "", type: String = "text/plain; charset=utf-8") {
    self.status = status
    self.type = type
    body = Array(text.utf8)
  }

  /// The bytes of the response. The connection is closed behind it.
  var bytes: [UInt8] {
    var head = "HTTP/1.1 \(status) \(HTTPArchive.statusText(status))\r\nContent-Type: \(type)\r\n"
    head += "Cache-Control: no-store\r\nReferrer-Policy: no-referrer\r\nX-Content-Type-Options: nosniff\r\n"
    head += "Cross-Origin-Resource-Policy: same-origin\r\nCross-Origin-Opener-Policy: same-origin\r\n"
    head += "Content-Security-Policy: \(policy)\r\nConnection: close\r\n"
    if !isStream { head += "Content-Length: \(body.count)\r\n" }
    return Array((head + "\r\n").utf8) + body
  }
}
