/// Signs one attempt: time and nonce are fresh each time, so it runs again for every attempt and redirect.
struct SigningStep {
  let signer: any RequestSigner
  let clock: ServerClock?
  let apiName: String
  let parameters: Parameters
  let attempt: Int

  func sign(_ request: inout HTTPRequest) throws(APIError) {
    let subject = SigningSubject(
      apiName: apiName, parameters: parameters,
      secondsSince1970: clock?.secondsSince1970 ?? Int(WallClock.now), nonce: Nonce.make(), attempt: attempt)
    try signer.sign(&request, subject)
  }
}
