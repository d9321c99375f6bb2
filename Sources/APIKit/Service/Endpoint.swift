/// The URL of one API, without its parameters.
public struct Endpoint: Sendable {
  /// The URL.
  public var url: HTTPURL
  /// The API's name with its placeholders replaced, as a signature covers it.
  public var apiName: String
  /// The parameters whose values are part of the path already; they are not sent again.
  public var pathParameters: [String]

  /// Makes an endpoint.
  public init(url: HTTPURL, apiName: String, pathParameters: [String] = []) {
    self.url = url
    self.apiName = apiName
    self.pathParameters = pathParameters
  }

  /// Where a call goes: what its service says, or another path of the same origin where the call names one. The
  /// parameters that the service's path holds are not sent in either case.
  init(of call: APICall) throws(APIError) {
    self = try call.service.endpoint(of: call)
    guard let path = call.path else { return }
    // A signature covers the name as it stands below the base URL.
    let base = url.path.hasSuffix(apiName) ? String(url.path.dropLast(apiName.count)) : "/"
    apiName = String(path.hasPrefix(base) ? path.dropFirst(base.count) : path.dropFirst())
    url.path = path
  }

  /// The default rule: base URL, API version, API name, with `{placeholders}` replaced with the parameters.
  ///
  /// Throws ``APIError/Reason/misconfigured`` when the environment has no base URL, and
  /// ``APIError/Reason/invalidURL`` when a part is not allowed in a path.
  public init(joining call: APICall) throws(APIError) {
    guard let baseURL = call.baseURL else {
      throw APIError(
        .assembly, .misconfigured,
        "\(call.service.name) has no base URL for the environment \(call.environment); add it to its environments"
      )
    }
    pathParameters = []
    var name = call.apiName
    if name.utf8.contains(UInt8(ascii: "{")) {
      (name, pathParameters) = try PathTemplate(name).fill(call.parameters)
    }
    apiName = name
    url = baseURL
    if !call.service.apiVersion.isEmpty { url = try url.appending(path: call.service.apiVersion) }
    url = try url.appending(path: name)
  }
}
