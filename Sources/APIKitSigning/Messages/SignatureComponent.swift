import APIKit

/// A part of a message that a signature covers: a header field, or what RFC 9421 derives of the message, such as its
/// method.
///
/// ```swift
/// let covered: [SignatureComponent] = [.method, .targetURI, "content-type", .field("priority", isStructured: true)]
/// ```
/// Two components are equal when they have the same name and the same parameters, in any order.
/// - SeeAlso: <https://www.rfc-editor.org/rfc/rfc9421#section-2>
public struct SignatureComponent: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// The name in lower case: `content-type`, `@method`.
  public let name: String
  /// The identifier as it stands in `Signature-Input`: `"@query-param";name="Pet"`.
  public let description: String
  let parameters: [StructuredFields.Parameter]
  private let identity: String

  /// A header field, or a derived component by its name: `"content-type"`, `"@method"`.
  public init(stringLiteral value: String) { self.init(value, []) }

  /// A header field, or a derived component by its name.
  ///
  /// - Parameter name: The name; case is ignored.
  public init(_ name: String) { self.init(name, []) }

  init(_ name: String, _ parameters: [StructuredFields.Parameter]) {
    self.name = name.lowercased()
    self.parameters = parameters
    let item = StructuredFields.FieldItem(value: .string(self.name), parameters: parameters)
    // What has no text is not among the components of any message.
    description = StructuredFieldWriter.text(item) ?? ""
    guard parameters.count > 1 else {
      identity = description
      return
    }
    let sorted = parameters.sorted { $0.key < $1.key }
    identity =
      StructuredFieldWriter.text(StructuredFields.FieldItem(value: item.value, parameters: sorted)) ?? ""
  }

  /// The method.
  public static let method: Self = "@method"
  /// The whole URL.
  public static let targetURI: Self = "@target-uri"
  /// Host and port; the default port of the scheme is left out.
  public static let authority: Self = "@authority"
  /// The scheme.
  public static let scheme: Self = "@scheme"
  /// Path and query as they stand in the first line of a request of HTTP/1.1.
  public static let requestTarget: Self = "@request-target"
  /// The path.
  public static let path: Self = "@path"
  /// The query with its question mark; a question mark alone when there is none.
  public static let query: Self = "@query"
  /// The status of a response.
  public static let status: Self = "@status"
  /// The digest of the body (RFC 9530). The signer sets the field, the verifier compares it with the body.
  public static let contentDigest: Self = "content-digest"

  /// One parameter of the query. A query that has several of this name cannot be signed so.
  ///
  /// - Parameter name: The name, not encoded.
  public static func queryParameter(_ name: String) -> Self {
    Self("@query-param", [.init("name", .string(PercentEncoding.form20.encode(name)))])
  }

  /// A header field in one of its forms.
  ///
  /// - Parameters:
  ///   - name: The name; case is ignored.
  ///   - key: One member of a field that is a dictionary (`key`). The default is the whole field.
  ///   - isStructured: Whether the field is read and written anew as a structured field (`sf`), so that spaces and
  ///     encodings do not matter. The default is false.
  ///   - isBinary: Whether each line of the field is encoded by itself (`bs`), so that it does not matter how lines are
  ///     joined. The default is false.
  public static func field(
    _ name: String, key: String? = nil, isStructured: Bool = false, isBinary: Bool = false
  ) -> Self {
    var parameters: [StructuredFields.Parameter] = []
    if isStructured { parameters.append(.init("sf", .bool(true))) }
    if let key { parameters.append(.init("key", .string(key))) }
    if isBinary { parameters.append(.init("bs", .bool(true))) }
    return Self(name, parameters)
  }

  /// The same part of the request that a response answers (`req`).
  public var ofRequest: Self { adding("req") }

  /// The same field of the trailers, behind the body of a response (`tr`). A request has none.
  public var inTrailers: Self { adding("tr") }

  /// A list of parameters has each key once: a reader keeps the last.
  private func adding(_ flag: String) -> Self {
    parameters.contains { $0.key == flag } ? self : Self(name, parameters + [.init(flag, .bool(true))])
  }

  /// Whether both have the same name and the same parameters.
  public static func == (left: Self, right: Self) -> Bool { left.identity == right.identity }

  /// Hashes name and parameters.
  public func hash(into hasher: inout Hasher) { hasher.combine(identity) }
}
