/// Signs the request of one attempt and sends it through the service's client.
struct WireStep {
  let flight: Flight
  let attempt: Int

  private var call: APICall { flight.call }

  func send(_ assembled: AssemblyStep.Assembled) async throws(APIError) -> HTTPResponse {
    do throws(APIError) {
      let answer = try await call.service.client.send(
        exchange(assembled.request), credentialHeaders: call.service.signer?.headerNames ?? []
      ) { (request) throws(APIError) in
        flight.deadline.cut(&request, call.time)
        try SigningStep(call: call, assembled: assembled, attempt: attempt).sign(&request)
      }
      call.recorder.record(.answered(status: answer.status, metrics: answer.metrics))
      return answer
    } catch {
      throw error.located(at: assembled.request.url)
    }
  }

  @inline(never)
  private func exchange(_ request: HTTPRequest) -> HTTPExchange {
    call.recorder.record(.attempt(attempt, host: request.url.host))
    var exchange = HTTPExchange(request)
    exchange.onProgress = flight.onProgress
    return exchange
  }
}

extension APIError {
  fileprivate func located(at url: HTTPURL) -> APIError {
    var error = self
    error.context.location = url.location
    return error
  }
}
