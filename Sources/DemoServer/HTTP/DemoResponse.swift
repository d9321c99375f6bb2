public import APIKit

/// One response of the demo server, and the faults with which it is sent.
public struct DemoResponse: Sendable {
  /// The status code.
  public var status: Int
  /// The header fields. `Server`, `Connection`, the fields of the framing and, where it is missing, `Date`
  /// are added.
  public var headers: HTTPHeaders
  /// The body.
  public var body: [UInt8]
  /// How the end of the body is marked; the default is its length.
  public var framing: Framing = .length
  /// The wait before the first byte. The default is zero.
  public var delay: Duration = .zero
  /// The wait in the middle of the body. The default is zero.
  public var stall: Duration = .zero
  /// After how many bytes of the body, as it is framed, the connection is closed; 0 or more. Nil, the default, sends all.
  ///
  /// With a negative number the client gets status 500, whose body names this property and the number.
  public var cutAfter: Int?
  /// Whether the connection is closed without a byte. The default is false.
  public var drops = false
  /// How many bytes of the body are sent a second; nil, the default, as fast as the client reads. There is then no stall.
  var rate: Int?
  /// Makes what the connection does behind the head, which then has no body; nil, the default, for a usual response.
  var live: (@Sendable () -> any LiveExchange)?

  /// How the end of a body is marked.
  public enum Framing: Sendable, Hashable {
    /// `Content-Length`.
    case length
    /// `Transfer-Encoding: chunked`, with this many bytes per chunk.
    case chunked(size: Int)
    /// The end of the connection, as in HTTP/1.0.
    case close
  }

  /// Makes a response of bytes.
  public init(_ status: Int = 200, headers: HTTPHeaders = HTTPHeaders(), body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// A response of text, `text/plain` in UTF-8.
  public static func text(_ text: String, status: Int = 200) -> DemoResponse {
    DemoResponse(status, headers: ["Content-Type": "text/plain; charset=utf-8"], body: Array(text.utf8))
  }

  /// A response of JSON text, sent as it is.
  public static func json(_ text: String, status: Int = 200) -> DemoResponse {
    DemoResponse(status, headers: ["Content-Type": "application/json"], body: Array(text.utf8))
  }

  /// A response of JSON.
  static func json(_ value: JSON, status: Int = 200) -> DemoResponse {
    DemoResponse(status, headers: ["Content-Type": "application/json"], body: value.bytes())
  }
}

extension DemoResponse {
  /// The response itself, or the one that says what is wrong with it: a mistake of a handler does not end the process.
  var checked: DemoResponse {
    guard let cutAfter, cutAfter < 0 else { return self }
    let text = "cutAfter of the response is \(cutAfter), and must be 0 or more"
    return .json(["error": .string(text), "status": 500], status: 500)
  }

  /// The pieces to send in order, each after its wait, and whether the connection is closed after them.
  func wire(for method: HTTPMethod, keepsAlive: Bool, date: String) -> (pieces: [Piece], closes: Bool) {
    guard !drops else { return ([Piece(wait: delay, bytes: [])], true) }
    var closes = !keepsAlive || framing == .close
    let hasBody = method != .head && status >= 200 && status != 204 && status != 304
    let framed = hasBody ? framedBody : []
    let half = stall > .zero && !framed.isEmpty ? framed.count / 2 : framed.count
    if let cutAfter, hasBody, cutAfter < framed.count { closes = true }

    var text = "HTTP/1.1 \(status) \(StatusText.of(status))\r\nServer: APIKit-Demo\r\n"
    if !headers.contains("Date") { text += "Date: \(date)\r\n" }
    // A value may come from a request, so it must not contain a line break.
    for field in headers where !field.value.utf8.contains(where: { $0 < 0x20 && $0 != 0x09 }) {
      text += "\(field.name): \(field.value)\r\n"
    }
    if status >= 200, status != 204 {
      switch framing {
      case .length where status != 304: text += "Content-Length: \(body.count)\r\n"
      case .chunked where hasBody: text += "Transfer-Encoding: chunked\r\n"
      default: break
      }
    }
    text += closes ? "Connection: close\r\n\r\n" : "\r\n"

    var sent = framed[...]
    if let cutAfter { sent = sent.prefix(cutAfter) }
    if let rate { return (paced(head: Array(text.utf8), sent, rate: rate), closes) }
    var pieces = [Piece(wait: delay, bytes: Array(text.utf8) + sent.prefix(half))]
    if sent.count > half { pieces.append(Piece(wait: stall, bytes: Array(sent.dropFirst(half)))) }
    return (pieces, closes)
  }

  /// Bytes to send after a wait.
  struct Piece {
    var wait: Duration
    var bytes: [UInt8]
  }

  /// The head, then a piece of the body about ten times a second, of 4 KiB at least.
  private func paced(head: [UInt8], _ body: ArraySlice<UInt8>, rate: Int) -> [Piece] {
    let size = max(4096, rate / 10)
    var pieces = [Piece(wait: delay, bytes: head)]
    var rest = body
    while !rest.isEmpty {
      let part = rest.prefix(size)
      pieces.append(Piece(wait: .nanoseconds(part.count * 1_000_000_000 / rate), bytes: Array(part)))
      rest = rest.dropFirst(part.count)
    }
    return pieces
  }

  private var framedBody: [UInt8] {
    guard case .chunked(let size) = framing else { return body }
    var framed: [UInt8] = []
    var rest = body[...]
    while !rest.isEmpty {
      let chunk = rest.prefix(max(1, size))
      framed += Array(String(chunk.count, radix: 16).utf8) + [0x0D, 0x0A] + chunk + [0x0D, 0x0A]
      rest = rest.dropFirst(chunk.count)
    }
    return framed + Array("0\r\n\r\n".utf8)
  }
}

/// The reason phrases of RFC 9110.
enum StatusText {
  static func of(_ status: Int) -> String { table[status] ?? "Status" }

  private static let table = [
    101: "Switching Protocols",
    200: "OK", 201: "Created", 202: "Accepted", 204: "No Content", 206: "Partial Content",
    301: "Moved Permanently", 302: "Found", 303: "See Other", 304: "Not Modified", 307: "Temporary Redirect",
    308: "Permanent Redirect", 400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found",
    405: "Method Not Allowed", 408: "Request Timeout", 409: "Conflict", 410: "Gone",
    412: "Precondition Failed", 413: "Content Too Large", 414: "URI Too Long", 417: "Expectation Failed",
    422: "Unprocessable Content", 426: "Upgrade Required", 429: "Too Many Requests",
    431: "Request Header Fields Too Large",
    500: "Internal Server Error", 501: "Not Implemented", 502: "Bad Gateway", 503: "Service Unavailable",
    504: "Gateway Timeout", 505: "HTTP Version Not Supported",
  ]
}
