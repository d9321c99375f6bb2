public import APIKit

/// What a ``StubTransport`` does with one request: answer, fail, wait, compute or keep silent.
///
/// Answers nest: `.after(.seconds(1), .status(503))`, `.held(by: gate, .json("[]"))`.
public struct StubResponse: Sendable {
  indirect enum Kind: Sendable {
    case response(HTTPResponse, chunks: [[UInt8]]?)
    case truncated(HTTPResponse, count: Int)
    case failure(APIError)
    case after(Duration, StubResponse)
    case held(StubGate, StubResponse)
    case computed(@Sendable (HTTPRequest) async throws(APIError) -> StubResponse)
    case silence
  }

  let kind: Kind

  /// A response as it is. Its `url` and `metrics` are filled in when it is sent.
  public static func response(_ response: HTTPResponse) -> StubResponse {
    StubResponse(kind: .response(response, chunks: nil))
  }

  /// Bytes of any type.
  public static func bytes(
    _ body: [UInt8], status: Int = 200, contentType: String? = nil, headers: HTTPHeaders = HTTPHeaders()
  ) -> StubResponse {
    var fields = headers
    if let contentType, !fields.contains("Content-Type") { fields.add("Content-Type", contentType) }
    return .response(HTTPResponse(status: status, headers: fields, body: .bytes(body)))
  }

  /// JSON as it stands on the wire, with the content type `application/json`. The text is not checked.
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

  /// A body that arrives in these chunks: what a streamed response is asked for one after the other.
  public static func chunks(
    _ chunks: [[UInt8]], status: Int = 200, headers: HTTPHeaders = HTTPHeaders()
  ) -> StubResponse {
    let whole = HTTPResponse(status: status, headers: headers, body: .bytes(Array(chunks.joined())))
    return StubResponse(kind: .response(whole, chunks: chunks))
  }

  /// An error of the wire, or any other.
  public static func failure(_ error: APIError) -> StubResponse { StubResponse(kind: .failure(error)) }

  /// An error of the wire with the reason's own text: `.failure(.connectionRefused)`.
  public static func failure(_ reason: APIError.Reason) -> StubResponse {
    .failure(APIError(.transport, reason))
  }

  /// The connection is dropped before a byte of the answer: ``APIError/Reason/connectionLost``.
  public static var dropped: StubResponse {
    .failure(APIError(.transport, .connectionLost, "the connection was closed without an answer"))
  }

  /// The head of the response and `count` bytes of its body, then the end of the connection:
  /// ``APIError/Reason/truncatedBody``.
  public static func truncated(after count: Int, of response: HTTPResponse) -> StubResponse {
    StubResponse(kind: .truncated(response, count: count))
  }

  /// An answer that comes later, by the transport's clock.
  ///
  /// A wait beyond the request's idle or total limit ends at that limit with its reason, as on the wire.
  public static func after(_ wait: Duration, _ answer: StubResponse) -> StubResponse {
    StubResponse(kind: .after(wait, answer))
  }

  /// An answer that comes when the gate opens: tests that hold need no sleep.
  public static func held(by gate: StubGate, _ answer: StubResponse) -> StubResponse {
    StubResponse(kind: .held(gate, answer))
  }

  /// An answer made from the request, body included.
  public static func computed(
    _ make: @escaping @Sendable (HTTPRequest) async throws(APIError) -> StubResponse
  ) -> StubResponse {
    StubResponse(kind: .computed(make))
  }

  /// No answer ever: the request ends at its idle or total limit, or when it is cancelled.
  public static var silence: StubResponse { StubResponse(kind: .silence) }
}
