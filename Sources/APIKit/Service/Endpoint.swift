/// The URL of one API, without its parameters.
public struct Endpoint: Sendable {
  /// The URL.
  public var url: HTTPURL
  /// The API's name as a signature covers it: as it is in the path, with placeholders replaced, percent-encoded, without
  /// a slash before it.
  public var apiName: String
  /// The parameters whose values are part of the path; they are not sent again.
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
    if !pathParameters.isEmpty { url.pathSecrets = PathSecrets(pathParameters, of: call.parameters) }
    guard let named = call.path else { return }
    let path = String(named.prefix { $0 != "?" })
    // A signature covers the name as it stands below the base URL.
    let base = url.path.hasSuffix(apiName) ? String(url.path.dropLast(apiName.count)) : "/"
    apiName = String(path.hasPrefix(base) ? path.dropFirst(base.count) : path.dropFirst())
    url.path = path
    // A link repeats what it was asked with, the query of the base URL too.
    let (rest, names) = (named.dropFirst(path.count + 1), Set(call.parameters.names.map(ExactText.init)))
    let kept = (url.query ?? "").split(separator: "&").filter { pair in
      let name = PercentEncoding.decode(pair.prefix { $0 != "=" }, plusIsSpace: true)
      return !rest.split(separator: "&").contains(pair) && name.map { names.contains(ExactText($0)) } != true
    }
    url.query = kept.isEmpty ? nil : kept.joined(separator: "&")
    url.append(query: String(rest))
    guard let location = call.options.location else { return }
    // The server has named the whole URL, query included.
    let secrets = url.pathSecrets
    url = location
    url.pathSecrets = secrets
    pathParameters = call.parameters.removing(call.terms.encoding.fieldNames).names
  }

  /// The default rule: base URL, API version, API name, with `{placeholders}` replaced with the parameters.
  ///
  /// Throws ``APIError/Reason/misconfigured`` when the environment has no base URL or the name is an absolute URL, and
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
    let isPlain = name.utf8.withContiguousStorageIfAvailable { bytes in
      !bytes.contains { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "{") }
    }
    if isPlain != true, HTTPURL.isAbsolute(name) {
      throw APIError(
        .assembly, .misconfigured,
        "\(call.managerName) names its API by the absolute URL \(name.prefix { $0 != "?" }); a name is the path below the "
          + "base URL of a service, so give scheme and host to the environments of a service")
    }
    if isPlain != true, name.utf8.contains(UInt8(ascii: "{")) {
      (name, pathParameters) = try PathTemplate(name).fill(call.parameters)
    }
    url = baseURL
    if !call.service.apiVersion.isEmpty { url = try url.appending(path: call.service.apiVersion) }
    let base = url.path
    url = try url.appending(path: name)
    // Nearly every name needs no encoding.
    let isAsSent = name.utf8.first != UInt8(ascii: "/") && url.path.hasSuffix(name)
    apiName = isAsSent ? name : url.path(below: base)
  }
}

extension HTTPURL {
  /// The rest of the path behind a path that it begins with, without the slash between them.
  fileprivate func path(below base: String) -> String {
    let isSlash = { (byte: UInt8) in byte == UInt8(ascii: "/") }
    let length = base.utf8.reversed().drop(while: isSlash).count
    return String(Substring(path.utf8.dropFirst(length).drop(while: isSlash)))
  }
}
