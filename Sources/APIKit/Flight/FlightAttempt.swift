/// One attempt: let through to its host, signed, sent, decoded, validated.
struct FlightAttempt {
  private let flight: Flight
  private let deadline: FlightDeadline
  private let number: Int

  private var call: APICall { flight.call }

  init(_ flight: Flight, _ deadline: FlightDeadline, _ number: Int) {
    self.flight = flight
    self.deadline = deadline
    self.number = number
  }

  func run(_ assembled: AssemblyStep.Assembled) async throws(APIError) -> APIResponse {
    guard let admission = AdmissionStep(call, flight.airspace, deadline, assembled.request.url) else {
      return try read(try await WireStep(flight, deadline, number).send(assembled))
    }
    let pass = try await admission.enter()
    do {
      let response = try read(try await WireStep(flight, deadline, number).send(assembled))
      admission.leave(pass)
      return response
    } catch {
      admission.leave(pass, after: error)
      throw error
    }
  }

  /// What an answer says, if it is a good one.
  private func read(_ answer: HTTPResponse) throws(APIError) -> APIResponse {
    if let confirmed = flight.cache?.confirmed(by: answer) { return confirmed }
    let response = try DecodingStep(call: call).run(answer)
    try ValidationStep(call: call).check(response)
    flight.cache?.received(response)
    return response
  }
}
