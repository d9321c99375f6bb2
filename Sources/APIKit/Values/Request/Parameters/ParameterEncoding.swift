/// The target and the form of a call's parameters in its request.
///
/// The default of a manager is that of its service, which is ``automatic`` by default. Single parameters may have another
/// target than the others, and another name:
///
/// ```swift
/// ParameterEncoding.json.inURL("page").inHeaders("If-Match").inCookies("theme")
/// ParameterEncoding.json.inURL("queryID").named(["queryID": "id"])  // ?id=7, beside an `id` in the body
/// ParameterEncoding.json.body(at: "items")                          // the body is what `items` is, e.g. an array
/// ```
/// A parameter that a placeholder of the API's name takes is sent nowhere else.
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
  /// The style of the query and, for ``form``, of the body; also of single values in header fields and cookies.
  public var queryStyle = QueryStyle()
  /// What is stated beyond form and query; nil for most encodings, which every load carries.
  private(set) var places: CopyOnWrite<Places>?

  /// Where single parameters go, and under which names.
  struct Places: Sendable {
    var headerNames: [String] = []
    var cookieNames: [String] = []
    var bodyName: String?
    var sentNames: [(name: String, sent: String)] = []
    var keys = RawData.DecodingOptions.Keys.asWritten
  }

  private init(_ form: Form) { self.form = form }

  /// All parameters in the query for GET, HEAD and DELETE, and in a body of JSON for all other
  /// methods.
  public static let automatic = Self(.automatic)
  /// All parameters in the query, whatever the method.
  public static let query = Self(.query)
  /// All parameters in a body of `application/x-www-form-urlencoded`.
  public static let form = Self(.form)
  /// All parameters in a body of JSON.
  public static let json = Self(.body(JSONBodyEncoder()))
  /// All parameters in a body made by an encoder of the application, or by one of the framework with
  /// other settings.
  public static func body(_ encoder: any BodyEncoder) -> Self { Self(.body(encoder)) }

  /// This encoding with these names in the query.
  public func inURL(_ names: String...) -> Self {
    var copy = self
    copy.urlNames += names
    return copy
  }

  /// This encoding with the parameters of these names in header fields: `.json.inHeaders("If-Match")`.
  ///
  /// A parameter without a value sends no field; an array is one line, its values separated by commas. The field replaces
  /// one that the manager or the service states under the same name. Afterwards it is treated like those: in joins, stored
  /// responses, signatures and masks. An object, an array in an array and a comma in a value of an array refuse the load
  /// with ``APIError/Reason/unencodableParameter``, what RFC 9110 forbids in a field with ``APIError/Reason/invalidHeader``.
  public func inHeaders(_ names: String...) -> Self {
    placing { $0.headerNames += names }
  }

  /// This encoding with the parameters of these names as cookies.
  ///
  /// They are sent beside the cookies of the client's jar and of the manager's own `Cookie` field, and replace a cookie of
  /// the same name. The jar does not keep them. A parameter without a value sends no cookie. Nothing is escaped: an array
  /// and an object refuse the load with ``APIError/Reason/unencodableParameter``, a name or a character that cookies do not
  /// have (RFC 6265, 4.1.1) with ``APIError/Reason/invalidHeader``.
  public func inCookies(_ names: String...) -> Self {
    placing { $0.cookieNames += names }
  }

  /// This encoding with the value of one parameter as the whole body, of whatever shape: `.json.body(at: "items")`.
  ///
  /// The other parameters are sent in the query, or in the target that is stated for them. Without a value there is no
  /// body. If the method or ``query`` makes no body, or the manager states a body, the load is refused with
  /// ``APIError/Reason/misconfigured``.
  public func body(at name: String) -> Self {
    placing { $0.bodyName = name }
  }

  /// This encoding with other names where parameters are sent, so that two of them can have the same name in two
  /// targets.
  ///
  /// In `["queryID": "id"]` the parameter is `queryID` for the manager, in stored responses and in all other statements of
  /// this encoding, and `id` in the request. Two parameters of one name in the same target refuse the load with
  /// ``APIError/Reason/misconfigured``. A placeholder of the API's name needs no other name: `users/{userID}` leaves `id` to
  /// the body.
  public func named(_ names: KeyValuePairs<String, String>) -> Self {
    placing { $0.sentNames += names.map { ($0.key, $0.value) } }
  }

  /// This encoding with the members of `Encodable` values under names in this case: with `.snakeCase` the member `minBeds`
  /// is sent as `min_beds`. The default is as written.
  ///
  /// It applies to `Encodable` values that are passed to `load`, `response` and `value`, at any depth. Names in
  /// ``Parameters`` and the keys of dictionaries stay as they are.
  public func keys(_ keys: RawData.DecodingOptions.Keys) -> Self {
    placing { $0.keys = keys }
  }

  /// How the members of `Encodable` values are named.
  var keys: RawData.DecodingOptions.Keys { places?.value.keys ?? .asWritten }

  private func placing(_ change: (inout Places) -> Void) -> Self {
    var (copy, new) = (self, places?.value ?? Places())
    change(&new)
    copy.places = CopyOnWrite(new)
    return copy
  }

  /// This encoding with another style of query.
  public func queryStyle(_ style: QueryStyle) -> Self {
    var copy = self
    copy.queryStyle = style
    return copy
  }

  /// Adds the parameters to a request: to its query, its header fields, or as its body with a `Content-Type`.
  ///
  /// When no parameters are left for the body, neither is set. A `Content-Type` that the request has
  /// already is kept. Throws ``APIError/Reason/unencodableParameter`` for a value that the encoding cannot
  /// express, and ``APIError/Reason/misconfigured`` when the request has a body already.
  public func apply(_ parameters: Parameters, to request: inout HTTPRequest) throws(APIError) {
    guard !parameters.isEmpty else { return }
    var rest = parameters
    if hasFields {
      try addFields(of: parameters, to: &request.headers)
      rest = parameters.removing(fieldNames)
    }
    let (encoder, bodyName) = (bodyEncoder(for: request.method), places?.value.bodyName)
    if let bodyName, let value = rest[bodyName] {
      guard let encoder else {
        throw APIError(
          .assembly, .misconfigured,
          "the parameter \(bodyName.debugDescription) is stated as the body, but the parameters make none here"
        )
      }
      try addQuery(rest.removing([bodyName]), to: &request)
      return try setBody(try encoder.encode(value: value), encoder.contentType, of: &request)
    }
    guard let encoder, bodyName == nil else { return try addQuery(rest, to: &request) }
    if !urlNames.isEmpty {
      try addQuery(rest.only(urlNames), to: &request)
      rest = rest.removing(urlNames)
    }
    guard !rest.isEmpty else { return }
    try setBody(try encoder.encode(try named(rest, in: "the body")), encoder.contentType, of: &request)
  }

  private func addQuery(_ parameters: Parameters, to request: inout HTTPRequest) throws(APIError) {
    guard !parameters.isEmpty else { return }
    request.url.append(query: try QueryEncoder(queryStyle).encode(try named(parameters, in: "the query")))
  }

  private func setBody(
    _ bytes: [UInt8], _ contentType: String, of request: inout HTTPRequest
  ) throws(APIError) {
    guard request.body.isEmpty else {
      throw APIError(
        .assembly, .misconfigured,
        "the request has a body already, so its parameters cannot make one; put them in the query")
    }
    request.body = .bytes(bytes)
    if !request.headers.contains("Content-Type") { request.headers.add("Content-Type", contentType) }
  }

  /// Whether encoding is quick enough for the main actor; see ``BodyEncoder/runsInline``.
  var runsInline: Bool { if case .body(let encoder) = form { encoder.runsInline } else { true } }

  /// The same with all parameters in the URL: beside a body of the manager's own, and where there is none.
  package var withoutBody: Self {
    var copy = self
    copy.form = .query
    return copy
  }

  private func bodyEncoder(for method: HTTPMethod) -> (any BodyEncoder)? {
    switch form {
    case .automatic: method == .get || method == .head || method == .delete ? nil : JSONBodyEncoder()
    case .query: nil
    case .form: FormEncoder(queryStyle)
    case .body(let encoder): encoder
    }
  }
}

extension Parameters {
  /// The pairs whose names are among `names`.
  func only(_ names: [String]) -> Parameters {
    Parameters(pairs.filter { names.containsExactly($0.name) }.map { ($0.name, $0.value) })
  }
}
