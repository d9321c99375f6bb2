/// Whether all that a manager and its service state counts: looked at when a type loads for the first time.
extension APIManager {
  /// Throws ``APIError/Reason/misconfigured`` for a statement that would be lost without a word.
  ///
  /// Types that have passed are remembered, and so is the object. Where the reflection metadata of the application is
  /// switched off, stored properties are not seen.
  func checkStatements() throws(APIError) {
    let type = ObjectIdentifier(Self.self)
    guard !StatementBook.passed.contains(type) else { return }
    let mirror = Mirror(reflecting: self)
    if let base = mirror.superclassMirror?.subjectType, base is any APIManager.Type {
      throw lost(
        "\(Self.self) inherits the adoption of APIManager from \(base), so what \(Self.self) states itself is not used; "
          + "let \(base) be a subclass of BaseAPIManager only, and \(Self.self) adopt APIManager")
    }
    let faults =
      statements.faults(of: self, of: "APIManager", below: BaseAPIManager.self) + service.lostStatements
    guard faults.isEmpty else { throw lost(faults.joined(separator: "; ")) }
    guard service.environments === service.environments else {
      throw lost(
        "the environments of \(service.name) are made anew at each read, so a change of them is lost; keep one object, "
          + "`static let shared`, and state it as the `service` of each manager")
    }
    let (one, other) = (service.identity, service.identity)
    guard one.authenticator === other.authenticator, one.clock === other.clock else {
      throw lost(
        "the identity of \(service.name) is made anew at each read, so no credential and no time that it learns is kept; "
          + "keep it in a `let`")
    }
    StatementBook.passed.insert(type)
  }

  private func lost(_ detail: String) -> APIError { APIError(.takeoff, .misconfigured, detail) }

  /// What has a default, with what counts.
  private var statements: [Statement] {
    [
      Statement("service", service), Statement("apiName", apiName), Statement("method", method),
      Statement("takeoffPolicy", takeoffPolicy), Statement("headers", headers),
      Statement("parameterEncoding", parameterEncoding), Statement("timeouts", timeouts),
      Statement("retryPolicy", retryPolicy), Statement("loadOptions", loadOptions),
      Statement("joinsIdenticalFlights", joinsIdenticalFlights),
      Statement("priority", priority), Statement("requestRate", requestRate),
      Statement("networkGate", networkGate), Statement("signIn", signIn),
      Statement("expectation", expectation), Statement("cachePolicy", cachePolicy),
      Statement("cacheTraits", cacheTraits), Statement("outlivesRelease", outlivesRelease),
      Statement("isQueued", isQueued), Statement("queueLane", queueLane),
    ]
  }
}

/// The manager types of which everything counts that they state.
@MainActor private enum StatementBook {
  static var passed: Set<ObjectIdentifier> = []
}
