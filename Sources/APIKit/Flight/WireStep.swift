/// Signs the request of one attempt and sends it through the service's client.
struct WireStep {
  private let call: APICall
  private let onProgress: (@Sendable (TransferProgress) -> Void)?
  private let attempt: Int
  private let deadline: FlightDeadline

  init(_ flight: Flight, _ deadline: FlightDeadline, _ attempt: Int) {
    call = flight.call
    onProgress = flight.onProgress
    self.deadline = deadline
    self.attempt = attempt
  }

  func send(_ assembled: AssemblyStep.Assembled) async throws(APIError) -> HTTPResponse {
    call.recorder.record(.attempt(attempt, host: assembled.request.url.host))
    var exchange = HTTPExchange(assembled.request)
    exchange.onProgress = onProgress
    do throws(APIError) {
      let signing = SigningStep(call, assembled, attempt)
      let answer = try await call.service.client.send(
        exchange, credentialHeaders: signing?.headerNames ?? []
      ) { (request) throws(APIError) in
        deadline.cut(&request, call.time)
        try signing?.sign(&request)
      }
      call.recorder.record(.answered(status: answer.status, metrics: answer.metrics))
      return answer
    } catch {
      var error = error
      error.context.location = assembled.request.url.location
      throw error
    }
  }
}
