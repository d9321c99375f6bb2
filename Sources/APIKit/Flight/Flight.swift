/// The intensive path: what every load goes through between takeoff and landing.
///
/// Read ``fly()`` from top to bottom: it is the table of contents. One step, one type, one file. Steps are
/// values; what one leaves for the next is what it returns. Runs off the main actor, in the flight's own
/// task; cancelling that task ends it at the step it is in.
struct Flight: Sendable {
  let call: APICall
  let onProgress: (@Sendable (TransferProgress) -> Void)?
  let airspace: Airspace

  func fly() async -> FlightOutcome {
    do {
      // Cache look-up: a fresh stored answer lands here.
      let deadline = FlightDeadline(call)
      let assembled = try AssemblyStep(call: call).run()
      // Joining and admission: a flight may share another's wire call, or wait for its turn.
      return try await ErrorHookStep(call: call).run { () throws(APIError) in
        try await RetryStep(call: call, airspace: airspace, deadline: deadline).run(assembled.request) {
          (number) throws(APIError) in
          // Sign-in: a refused credential is refreshed here, and the attempt made again.
          try await ServerClockStep(call: call).run { () throws(APIError) in
            try await attempt(number, assembled, deadline)
          }
        }
      }.stamped(with: call.flightID)
    } catch {
      return .failed(error.completed(for: call))
    }
  }

  /// One attempt: signed, sent, decoded, validated.
  private func attempt(
    _ number: Int, _ assembled: AssemblyStep.Assembled, _ deadline: FlightDeadline
  ) async throws(APIError) -> APIResponse {
    let wire = WireStep(call: call, onProgress: onProgress, attempt: number, deadline: deadline)
    let response = try DecodingStep(call: call).run(try await wire.send(assembled))
    try ValidationStep(call: call).check(response)
    return response
  }
}

/// How the intensive path ended, before the manager's own validator and interceptors have had their say.
enum FlightOutcome: Sendable {
  case succeeded(APIResponse)
  case failed(APIError)
  case cancelled(CancellationReason)

  /// The outcome as one flight's own: a response says which flight landed with it.
  func stamped(with flight: FlightID) -> FlightOutcome {
    guard case .succeeded(var response) = self else { return self }
    response.flightID = flight
    return .succeeded(response)
  }
}

extension APIError {
  /// The error with what the call knows filled in where it says nothing itself.
  func completed(for call: APICall) -> APIError {
    var error = self
    let own = context
    error.context = call.context()
    error.context.location = own.location
    error.context.attempt = own.attempt
    error.context.attemptLimit = own.attemptLimit
    error.context.elapsed = own.elapsed
    error.context.status = own.status ?? evidence?.status
    return error
  }
}
