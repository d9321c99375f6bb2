/// Signs one attempt: time and nonce are fresh each time, so it runs again for every attempt and redirect.
struct SigningStep {
  private let signer: any RequestSigner
  private let call: APICall
  private let assembled: AssemblyStep.Assembled
  private let attempt: Int

  /// Nil for a service that signs nothing.
  init?(_ call: APICall, _ assembled: AssemblyStep.Assembled, _ attempt: Int) {
    guard let signer = call.service.signer else { return nil }
    self.signer = signer
    self.call = call
    self.assembled = assembled
    self.attempt = attempt
  }

  /// What a redirect to another origin must not carry along.
  var headerNames: Set<String> { signer.headerNames }

  func sign(_ request: inout HTTPRequest) throws(APIError) {
    let subject = SigningSubject(
      apiName: assembled.apiName, parameters: assembled.parameters,
      secondsSince1970: call.service.clock?.secondsSince1970 ?? Int(WallClock.now), nonce: Nonce.make(),
      attempt: attempt)
    try signer.sign(&request, subject)
  }
}
