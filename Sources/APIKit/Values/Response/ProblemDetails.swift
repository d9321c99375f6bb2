/// A failure in the standard form of RFC 9457: a body of `application/problem+json`.
///
/// ```swift
/// } catch {
///   if error.problem?.type == "https://api.example.com/problems/out-of-credit" {
///     show(balance: error.problem?["balance"].int)
///   }
/// }
/// ```
/// The members are the server's and may hold anything; texts are meant for developers rather than users. A member of another
/// type than the standard gives it counts as missing.
/// - SeeAlso: <https://www.rfc-editor.org/rfc/rfc9457>
public struct ProblemDetails: Sendable, Redacted {
  /// The whole object.
  public let raw: RawData

  /// A URI that names the kind of the problem, absolute or relative to the URL of the request. `about:blank` if the server
  /// names none: then only the status describes the problem.
  public var type: String { raw["type"].string ?? "about:blank" }
  /// The title of the kind of problem, always the same.
  public var title: String? { raw["title"].string }
  /// The status that the server has sent. A proxy may have changed the status of the response.
  public var status: Int? { raw["status"].int }
  /// The explanation of this occurrence.
  public var detail: String? { raw["detail"].string }
  /// A URI that names this occurrence, absolute or relative to the URL of the request.
  public var instance: String? { raw["instance"].string }

  /// A member beyond the standard's, which the kind of problem defines; missing where there is none.
  public subscript(name: String) -> RawData { raw[name] }

  /// The members beyond the standard's, in order.
  public var extensions: [(name: String, value: RawData)] {
    raw.members.filter { !Self.standard.containsExactly($0.key) }.map { ($0.key, $0.value) }
  }

  private static let standard = ["type", "title", "status", "detail", "instance"]

  /// The longest body that is read, in bytes.
  private static let mostBytes = 64 << 10

  /// Nil for another content type, for more than 64 KiB, and for what is no object of JSON.
  init?(_ response: HTTPResponse) {
    guard response.mediaType == "application/problem+json", response.bytes.count <= Self.mostBytes,
      let raw = try? JSONBodyDecoder().decode(
        response.bytes, contentType: response.headers["Content-Type"], limits: .default),
      raw.kind == .object
    else { return nil }
    self.raw = raw
  }

  /// The object as JSON, with secrets masked (``SecretNames``), shortened to 1,000 characters.
  public var description: String {
    let text = String(
      decoding: SecretMask().body(raw.jsonBytes(), contentType: "application/json"), as: UTF8.self)
    return text.count <= 1000 ? text : text.prefix(1000) + "…"
  }
}

extension APIError {
  /// The problem details of the failure, if its body is of the content type `application/problem+json` (RFC 9457);
  /// nil for all others, and for one of more than 64 KiB. Each access decodes it anew.
  public var problem: ProblemDetails? { response.flatMap { ProblemDetails($0) } }
}
