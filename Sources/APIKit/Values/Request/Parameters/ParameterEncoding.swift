/// Where the parameters of a call are placed in its request, and in which form.
///
/// The default of a manager is that of its service, which is ``automatic`` by default. Some parameters may
/// go into the URL while the others make a body: `.json.inURL("page", "token")`.
public struct ParameterEncoding: Sendable {
  private enum Form {
    case automatic
    case query
    case body(any BodyEncoder)
    case form
  }

  private var form: Form
  /// The names of parameters that are sent in the query even when the others make a body. None by default.
  public var urlNames: [String] = []
  /// How the query is written and, for ``form``, the body.
  public var queryStyle = QueryStyle()

  private init(_ form: Form) { self.form = form }

  /// In the query for GET, HEAD and DELETE, as JSON for all other methods.
  public static let automatic = Self(.automatic)
  /// All parameters in the query, whatever the method.
  public static let query = Self(.query)
  /// In a body of `application/x-www-form-urlencoded`.
  public static let form = Self(.form)
  /// In a body of JSON.
  public static let json = Self(.body(JSONBodyEncoder()))
  /// In a body that is an XML property list.
  public static let propertyList = Self(.body(PropertyListBodyEncoder()))
  /// In a body made by an encoder of the application, or by one of the framework with other settings.
  public static func body(_ encoder: any BodyEncoder) -> Self { Self(.body(encoder)) }

  /// This encoding with these names in the query.
  public func inURL(_ names: String...) -> Self {
    var copy = self
    copy.urlNames += names
    return copy
  }

  /// This encoding with another style of query.
  public func queryStyle(_ style: QueryStyle) -> Self {
    var copy = self
    copy.queryStyle = style
    return copy
  }

  /// Adds the parameters to a request: to its query, or as its body with a `Content-Type`.
  ///
  /// When no parameters are left for the body, neither is set. A `Content-Type` that the request has
  /// already is kept. Throws ``APIError/Reason/unencodableParameter`` for a value that the encoding cannot
  /// express, and ``APIError/Reason/misconfigured`` when the request has a body already.
  public func apply(_ parameters: Parameters, to request: inout HTTPRequest) throws(APIError) {
    guard !parameters.isEmpty else { return }
    guard let encoder = bodyEncoder(for: request.method) else {
      return request.url.append(query: try QueryEncoder(queryStyle).encode(parameters))
    }
    var inBody = parameters
    if !urlNames.isEmpty {
      let inURL = Parameters(
        parameters.pairs.filter { urlNames.containsExactly($0.name) }.map { ($0.name, $0.value) })
      request.url.append(query: try QueryEncoder(queryStyle).encode(inURL))
      inBody = parameters.removing(urlNames)
    }
    guard !inBody.isEmpty else { return }
    guard request.body.isEmpty else {
      throw APIError(
        .assembly, .misconfigured,
        "the request has a body already, so its parameters cannot make one; put them in the query")
    }
    request.body = .bytes(try encoder.encode(inBody))
    if !request.headers.contains("Content-Type") { request.headers.add("Content-Type", encoder.contentType) }
  }

  /// Whether encoding is quick enough for the main actor; see ``BodyEncoder/runsInline``.
  var runsInline: Bool { if case .body(let encoder) = form { encoder.runsInline } else { true } }

  private func bodyEncoder(for method: HTTPMethod) -> (any BodyEncoder)? {
    switch form {
    case .automatic: method == .get || method == .head || method == .delete ? nil : JSONBodyEncoder()
    case .query: nil
    case .form: FormEncoder(queryStyle)
    case .body(let encoder): encoder
    }
  }
}
