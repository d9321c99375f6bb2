public import APIKit

/// The action of a ``StubTransport`` for one request: respond, fail, wait, compute a response, or send
/// nothing.
///
/// They nest: `.after(.seconds(1), .status(503))`, `.held(by: gate, .json("[]"))`.
public struct StubResponse: Sendable {
  indirect enum StubKind: Sendable {
    case response(HTTPResponse, chunks: [[UInt8]]?)
    case truncated(HTTPResponse, count: Int)
    case failure(APIError)
    case after(Duration, StubResponse)
    case held(StubGate, StubResponse)
    case computed(@Sendable (HTTPRequest) async throws(APIError) -> StubResponse)
    case silence
  }

  let kind: StubKind

  /// This response. Its `url` and `metrics` are set when it is returned.
  public static func response(_ response: HTTPResponse) -> StubResponse {
    StubResponse(kind: .response(response, chunks: nil))
  }

  /// Bytes of any content type; none is sent by default.
  public static func bytes(
    _ body: [UInt8], status: Int = 200, contentType: String? = nil, headers: HTTPHeaders = HTTPHeaders()
  ) -> StubResponse {
    var fields = headers
    if let contentType, !fields.contains("Content-Type") { fields.add("Content-Type", contentType) }
    return .response(HTTPResponse(status: status, headers: fields, body: .bytes(body)))
  }

  /// JSON text, with the content type `application/json`. The text is not checked.
  public static func json(
    _ text: String, status: Int = 200, headers: HTTPHeaders = HTTPHeaders()
  ) -> StubResponse {
    .bytes(Array(text.utf8), status: status, contentType: "application/json", headers: headers)
  }

  /// Plain text in UTF-8.
  public static func text(
    _ text: String, status: Int = 200, headers: HTTPHeaders = HTTPHeaders()
  ) -> StubResponse {
    .bytes(Array(text.utf8), status: status, contentType: "text/plain; charset=utf-8", headers: headers)
  }

  /// A status with an empty body.
  public static func status(_ status: Int, headers: HTTPHeaders = HTTPHeaders()) -> StubResponse {
    .bytes([], status: status, headers: headers)
  }

  /// A redirect to a URL or a relative reference; the default status is 302.
  public static func redirect(to location: String, status: Int = 302) -> StubResponse {
    .status(status, headers: ["Location": location])
  }

  /// A body that a streamed response gives in these chunks. In memory or a file they are joined.
  public static func chunks(
    _ chunks: [[UInt8]], status: Int = 200, headers: HTTPHeaders = HTTPHeaders()
  ) -> StubResponse {
    let whole = HTTPResponse(status: status, headers: headers, body: .bytes(Array(chunks.joined())))
    return StubResponse(kind: .response(whole, chunks: chunks))
  }

  /// A failure with this error. If the error does not state `requestProgress`, nothing counts as sent for a reason before
  /// the connection, such as `connectionRefused`, and the whole request for any other.
  public static func failure(_ error: APIError) -> StubResponse { StubResponse(kind: .failure(error)) }

  /// A failure in `transport` with this reason and its text: `.failure(.connectionRefused)`.
  public static func failure(_ reason: APIError.Reason) -> StubResponse {
    .failure(APIError(.transport, reason))
  }

  /// The connection is closed before a byte of the response: `APIError.Reason.connectionLost`.
  public static var dropped: StubResponse {
    .failure(APIError(.transport, .connectionLost, "the connection was closed without a response"))
  }

  /// The head of the response and `count` bytes of its body, then the end of the connection:
  /// `APIError.Reason.truncatedBody`.
  public static func truncated(after count: Int, of response: HTTPResponse) -> StubResponse {
    StubResponse(kind: .truncated(response, count: max(0, count)))
  }

  /// A response after a wait on the transport's clock.
  ///
  /// A wait beyond the request's idle or total limit fails at that limit, as with a real transport.
  public static func after(_ wait: Duration, _ response: StubResponse) -> StubResponse {
    StubResponse(kind: .after(wait, response))
  }

  /// A response when the gate lets the request pass, so that a test need not sleep. It ends before at the idle and total limit
  /// that the request states, and at the deadline of its load.
  public static func held(by gate: StubGate, _ response: StubResponse) -> StubResponse {
    StubResponse(kind: .held(gate, response))
  }

  /// A response that a closure makes from the request, whose body is in memory. The closure runs off the
  /// main actor.
  public static func computed(
    _ make: @escaping @Sendable (HTTPRequest) async throws(APIError) -> StubResponse
  ) -> StubResponse {
    StubResponse(kind: .computed(make))
  }

  /// No response: the request ends at its idle or total limit, or when it is cancelled.
  public static var silence: StubResponse { StubResponse(kind: .silence) }
}
