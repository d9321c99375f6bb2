/// Signs one attempt, where the service signs: time and nonce are fresh each time, so it runs again for every
/// attempt and redirect.
struct SigningStep {
  let call: APICall
  let assembled: AssemblyStep.Assembled
  let attempt: Int

  func sign(_ request: inout HTTPRequest) throws(APIError) {
    guard let signer = call.service.signer else { return }
    let subject = SigningSubject(
      apiName: assembled.apiName, parameters: assembled.parameters,
      secondsSince1970: call.service.clock?.secondsSince1970 ?? Int(WallClock.now), nonce: Nonce.make(),
      attempt: attempt)
    try signer.sign(&request, subject)
  }
}
