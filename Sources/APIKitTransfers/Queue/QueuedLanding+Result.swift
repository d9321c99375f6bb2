import APIKit

extension QueuedLanding {
  /// The result for the delegate of a load or an upload. The body is decoded again, in the format that the manager expects.
  @MainActor func result(
    of manager: some EndpointManager, _ expectation: ResponseExpectation
  ) -> Result<APIResponse, APIError> {
    guard case .response(let http) = self else { return .failure(error(of: type(of: manager))) }
    let raw = (try? expectation.decode(http, by: manager.service.wire.decoders)) ?? .missing
    let source = ReformSource(
      managerType: type(of: manager), serviceName: manager.service.name, apiName: manager.apiName)
    return .success(APIResponse(raw: raw, http: http, source: source))
  }

  /// What the delegate of a download is told.
  @MainActor func file(of manager: some DownloadManager) -> Result<DownloadedFile, APIError> {
    if case .file(let file) = self { return .success(file) }
    return .failure(error(of: type(of: manager)))
  }

  /// A failure that was kept. A landing of another kind of load is a failure, too.
  private func error(of manager: any Any.Type) -> APIError {
    guard case .failure(let reason, let place, let detail, let status, let body) = self else {
      return APIError(
        .takeoff, .misconfigured, "\(manager) was given what belongs to a manager of another kind")
    }
    var error = APIError(
      APIError.Stage(rawValue: place) ?? .transport, APIError.Reason(reason, detail), detail,
      evidence: status.map { APIError.Evidence(status: $0, headers: [], body: body) })
    error.context.status = status
    error.context.manager = String(describing: manager)
    return error
  }
}
