/// Checks that each statement of a class of an endpoint and of its service has an effect, when the class is first used.
extension EndpointManager {
  /// Throws ``APIError/Reason/misconfigured`` for a statement that would be lost without a word.
  ///
  /// Classes that have passed are remembered. Where the reflection metadata of the application is switched off, stored
  /// properties are not seen.
  /// - Parameters:
  ///   - own: What the contract gives a default, beside what every endpoint states.
  ///   - contract: The protocol that the class adopts, and `base` the class that it is a subclass of.
  ///   - others: Further checks; they come first.
  package func checkStatements(
    _ own: @autoclosure () -> [StatedMember], of contract: String, below base: AnyClass,
    others: () throws(APIError) -> Void = { () throws(APIError) in }
  ) throws(APIError) {
    let id = ObjectIdentifier(Self.self)
    guard !CheckedEndpoints.passed.contains(id) else { return }
    try others()
    let common = [
      StatedMember("service", service), StatedMember("apiName", apiName), StatedMember("headers", headers),
      StatedMember("signIn", signIn), StatedMember("networkGate", networkGate),
    ]
    var faults = (common + own()).faults(of: self, of: contract, below: base)
    // Many classes have one service, whose check takes longer than theirs.
    let serviceID = ObjectIdentifier(type(of: service as Any))
    if !CheckedEndpoints.passed.contains(serviceID) { faults += service.lostStatements }
    guard faults.isEmpty else { throw APIError(lost: faults.joined(separator: "; ")) }
    CheckedEndpoints.passed.formUnion([id, serviceID])
  }

  /// The same, with the names and values of what the contract gives a default.
  package func checkStatements<each Value>(
    _ own: repeat (name: String, value: each Value), of contract: String, below base: AnyClass
  ) throws(APIError) {
    var members: [StatedMember] = []
    repeat members.append(StatedMember((each own).name, (each own).value))
    try checkStatements(members, of: contract, below: base)
  }
}

extension APIManager {
  /// Throws ``APIError/Reason/misconfigured`` for what the manager and its service state without effect.
  func checkStatements() throws(APIError) {
    try checkStatements(statements, of: "APIManager", below: BaseAPIManager.self) { () throws(APIError) in
      if let base = Mirror(reflecting: self).superclassMirror?.subjectType, base is any APIManager.Type {
        throw APIError(
          lost:
            "\(Self.self) inherits the adoption of APIManager from \(base), so what \(Self.self) states itself is "
            + "not used; let \(base) be a subclass of BaseAPIManager only, and \(Self.self) adopt APIManager")
      }
      guard service.environments === service.environments else {
        throw APIError(
          lost:
            "the environments of \(service.name) are made anew at each read, so a change of them is lost; keep one "
            + "object, `static let shared`, and state it as the `service` of each manager")
      }
      let (one, other) = (service.identity, service.identity)
      guard one.authenticator === other.authenticator, one.clock === other.clock else {
        throw APIError(
          lost:
            "the identity of \(service.name) is made anew at each read, so no credential and no time that it learns "
            + "is kept; keep it in a `let`")
      }
    }
  }

  /// What has a default, with what counts.
  private var statements: [StatedMember] {
    [
      StatedMember("method", method), StatedMember("takeoffPolicy", takeoffPolicy),
      StatedMember("parameterEncoding", parameterEncoding), StatedMember("timeouts", timeouts),
      StatedMember("retryPolicy", retryPolicy), StatedMember("loadOptions", loadOptions),
      StatedMember("joinsIdenticalFlights", joinsIdenticalFlights), StatedMember("priority", priority),
      StatedMember("requestRate", requestRate), StatedMember("expectation", expectation),
      StatedMember("decoding", decoding),
      StatedMember("cachePolicy", cachePolicy), StatedMember("cacheTraits", cacheTraits),
      StatedMember("outlivesRelease", outlivesRelease), StatedMember("isQueued", isQueued),
      StatedMember("queueLane", queueLane),
    ]
  }
}

extension APIError {
  fileprivate init(lost detail: String) { self.init(.takeoff, .misconfigured, detail) }
}

/// The classes whose statements were checked.
@MainActor private enum CheckedEndpoints {
  static var passed: Set<ObjectIdentifier> = []
}
