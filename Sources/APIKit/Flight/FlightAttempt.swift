/// One attempt: let through to its host, signed, sent, decoded, validated.
struct FlightAttempt {
  let flight: Flight
  /// From 1.
  let number: Int

  private var call: APICall { flight.call }

  func run(_ assembled: AssemblyStep.Assembled) async throws(APIError) -> APIResponse {
    if AdmissionStep.holds(call) { return try await runInTurn(assembled) }
    return try read(try await wire.send(assembled))
  }

  @inline(never)
  private func runInTurn(_ assembled: AssemblyStep.Assembled) async throws(APIError) -> APIResponse {
    let admission = AdmissionStep(flight, assembled.request.url)
    let pass = try await admission.enter()
    do {
      let response = try read(try await wire.send(assembled))
      admission.leave(pass)
      return response
    } catch {
      admission.leave(pass, after: error)
      throw error
    }
  }

  private var wire: WireStep { WireStep(flight: flight, attempt: number) }

  /// What an answer says, if it is a good one.
  @inline(never)
  private func read(_ answer: HTTPResponse) throws(APIError) -> APIResponse {
    if let confirmed = flight.cache?.confirmed(by: answer) { return confirmed }
    let response = try DecodingStep(call: call).run(answer)
    try ValidationStep(call: call).check(response)
    flight.cache?.received(response)
    return response
  }
}
