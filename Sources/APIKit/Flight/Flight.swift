/// The intensive path: what every load goes through between takeoff and landing.
///
/// Read ``fly()`` from top to bottom: it is the table of contents. One step, one type, one file. Steps are
/// values; what one leaves for the next is what it returns. Runs off the main actor, in the flight's own
/// task; cancelling that task ends it at the step it is in.
struct Flight: Sendable {
  let call: APICall
  let onProgress: (@Sendable (TransferProgress) -> Void)?

  func fly() async -> FlightOutcome {
    do {
      // Cache look-up: a fresh stored answer lands here.
      let assembled = try AssemblyStep(call: call).run()
      // Joining and admission: a flight may share another's wire call, or wait for its turn.
      return try await ErrorHookStep(call: call).run { () throws(APIError) in
        // Retry and sign-in: what follows is one attempt, and is made again from here.
        let answer = try await WireStep(call: call, onProgress: onProgress).send(assembled)
        let response = try DecodingStep(call: call).run(answer)
        try ValidationStep(call: call).check(response)
        return response
      }
    } catch {
      return .failed(error.completed(for: call))
    }
  }
}

/// How the intensive path ended, before the manager's own validator and interceptors have had their say.
enum FlightOutcome: Sendable {
  case succeeded(APIResponse)
  case failed(APIError)
  case cancelled(CancellationReason)
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
