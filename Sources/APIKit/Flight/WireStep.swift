/// Makes one attempt: signs the request and sends it through the service's client.
struct WireStep {
  let call: APICall
  let onProgress: (@Sendable (TransferProgress) -> Void)?

  func send(_ assembled: AssemblyStep.Assembled) async throws(APIError) -> HTTPResponse {
    var exchange = HTTPExchange(assembled.request)
    exchange.onProgress = onProgress
    do {
      guard let signer = call.service.signer else {
        return try await call.service.client.send(exchange)
      }
      let step = SigningStep(
        signer: signer, clock: call.service.clock, apiName: assembled.apiName,
        parameters: assembled.parameters)
      return try await call.service.client.send(exchange, credentialHeaders: signer.headerNames) {
        (request) throws(APIError) in try step.sign(&request)
      }
    } catch {
      var error = error
      error.context.location = assembled.request.url.location
      throw error
    }
  }
}
