/// What a store of exchanges or a console knows of a load: its user, and how to send it again.
struct SentLoad: ExchangeLoad {
  let call: APICall
  let shared: SharedState
  let owner: LoadUser
  /// The credential that the attempt went with.
  let credential: Credential?

  var user: String? { credential.flatMap { call.authenticator?.rules.user($0) } }

  var replayObjection: String? {
    if let objection = call.objection(to: owner, host: nil) {
      return "it belongs to a user who is not the present one: \(objection.detail)"
    }
    guard call.recorder.hasTakenOff else { return "it opens a connection" }
    let options = call.options
    guard options.isInMemory, options.fileAtHead == nil, options.binding?.transport == nil else {
      return "its response goes to a file or a stream"
    }
    return nil
  }

  func replay() async -> Result<HTTPResponse, APIError> {
    let recorder = FlightRecorder(flight: .next(), manager: call.managerType, time: call.time)
    FlightLog.shared.add(recorder)
    var (terms, options) = (call.terms, call.options)
    terms.headers = HTTPHeaders(terms.headers.fields.filter { !SecretNames.contains($0.name) })
    (terms.joinsIdenticalFlights, terms.wantsProgress) = (false, false)
    terms.caching = CacheTerms(policy: .none)
    if !options.isEmpty { (options.login, options.owner) = (nil, nil) }
    options.binding?.willCross = nil
    // For the user of the load before: where another one signs in meanwhile, it ends.
    let again = APICall(
      terms, of: call.service, over: call.wire, recorder: recorder, apiName: call.apiName, path: call.path,
      parameters: call.parameters.removing(terms.encoding.secretFieldNames), body: call.body,
      options: options,
      resolving: [], user: owner)
    recorder.record(.tookOff(policy: "replay of flight \(call.flightID)"))
    let result = await Flight.outcome(again, shared, cache: nil).result
      .mapError { $0.completed(for: again) }
    switch result {
    case .success(let response): recorder.record(.landed(.succeeded(response.provenance)))
    case .failure(let error): recorder.record(.landed(.failed(label: error.label, detail: error.detail)))
    }
    return result.map(\.http)
  }
}
