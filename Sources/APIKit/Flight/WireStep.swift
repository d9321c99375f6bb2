/// Makes one attempt: signs the request and sends it through the service's client.
struct WireStep {
  let call: APICall
  let onProgress: (@Sendable (TransferProgress) -> Void)?
  let attempt: Int
  let deadline: FlightDeadline

  func send(_ assembled: AssemblyStep.Assembled) async throws(APIError) -> HTTPResponse {
    call.recorder.record(.attempt(attempt, host: assembled.request.url.host))
    var exchange = HTTPExchange(assembled.request)
    exchange.onProgress = onProgress
    do {
      let answer = try await send(exchange, assembled)
      call.recorder.record(.answered(status: answer.status, metrics: answer.metrics))
      return answer
    } catch {
      var error = error
      error.context.location = assembled.request.url.location
      throw error
    }
  }

  private func send(
    _ exchange: HTTPExchange, _ assembled: AssemblyStep.Assembled
  ) async throws(APIError) -> HTTPResponse {
    let signer = call.service.signer
    guard signer != nil || deadline.due != nil else {
      return try await call.service.client.send(exchange)
    }
    let signing = signer.map {
      SigningStep(
        signer: $0, clock: call.service.clock, apiName: assembled.apiName, parameters: assembled.parameters,
        attempt: attempt)
    }
    let (deadline, time) = (deadline, call.time)
    return try await call.service.client.send(exchange, credentialHeaders: signer?.headerNames ?? []) {
      (request) throws(APIError) in
      deadline.cut(&request, time)
      try signing?.sign(&request)
    }
  }
}
