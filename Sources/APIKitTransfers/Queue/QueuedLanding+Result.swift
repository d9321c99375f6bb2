import APIKit

extension QueuedLanding {
  /// What the delegate of a load is told. The body is decoded anew.
  @MainActor func result(of manager: BaseAPIManager) -> Result<APIResponse, APIError> {
    let child = manager.child
    let source = ReformSource(
      managerType: type(of: manager), serviceName: child.service.name, apiName: child.apiName)
    return result(child.service.wire.decoders, source)
  }

  /// What the delegate of an upload is told.
  func result(_ decoders: BodyDecoders, _ source: ReformSource) -> Result<APIResponse, APIError> {
    switch self {
    case .response(let http):
      let raw =
        http.bytes.isEmpty
        ? .missing : (try? decoders.decode(http.bytes, contentType: http.headers["Content-Type"])) ?? .missing
      return .success(APIResponse(raw: raw, http: http, source: source))
    case .file, .failure: return .failure(error(of: source.managerType))
    }
  }

  /// What the delegate of a download is told.
  func file(of manager: any Any.Type) -> Result<DownloadedFile, APIError> {
    if case .file(let file) = self { return .success(file) }
    return .failure(error(of: manager))
  }

  /// A failure that was kept; what belongs to a load of another kind is one, too.
  private func error(of manager: any Any.Type) -> APIError {
    guard case .failure(let reason, let place, let detail, let status, let body) = self else {
      return APIError(
        .takeoff, .misconfigured, "\(manager) was given what belongs to a manager of another kind")
    }
    var error = APIError(
      APIError.Place(rawValue: place) ?? .transport, APIError.Reason(reason, detail), detail,
      evidence: status.map { APIError.Evidence(status: $0, headers: [], body: body) })
    error.context.status = status
    error.context.manager = String(describing: manager)
    return error
  }
}
