/// What makes two loads identical, so that one wire call can serve both.
///
/// Taken before signing, so that times and nonces do not keep loads apart. All header fields count, those
/// with credentials among them: no user gets a response that was given to another.
struct JoinKey: Hashable, Sendable {
  private let manager: ObjectIdentifier
  private let service: String
  private let method: HTTPMethod
  private let url: HTTPURL
  private let headers: HTTPHeaders
  /// On whose behalf the flights go, which is not on the request yet.
  private let caller: LoadIdentity

  /// Nil for a load that must make its own call.
  init?(_ call: APICall, _ request: HTTPRequest) {
    guard call.terms.joinsIdenticalFlights, request.method.isSafe, request.body.isEmpty,
      !call.terms.wantsProgress, call.options.mayBeShared
    else { return nil }
    caller = LoadIdentity(call)
    guard caller.isKnown else { return nil }
    manager = ObjectIdentifier(call.managerType)
    service = call.service.name
    method = request.method
    url = request.url
    headers = request.headers
  }
}
