/// Signs one attempt: time and nonce are fresh each time, so it runs again for every attempt and redirect.
struct SigningStep {
  let signer: any RequestSigner
  let clock: ServerClock?
  let apiName: String
  let parameters: Parameters

  func sign(_ request: inout HTTPRequest) throws(APIError) {
    let subject = SigningSubject(
      apiName: apiName, parameters: parameters,
      secondsSince1970: clock?.secondsSince1970 ?? Int(WallClock.now), nonce: Nonce.make())
    try signer.sign(&request, subject)
  }
}

/// A text that no other attempt uses: 128 random bits in hexadecimal.
enum Nonce {
  static func make() -> String {
    var generator = SystemRandomNumberGenerator()
    return hex(generator.next()) + hex(generator.next())
  }

  private static func hex(_ bits: UInt64) -> String {
    let digits = String(bits, radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }
}
