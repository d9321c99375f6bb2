import APIKit

/// What the calls of sockets and streams have in common.
enum ConnectionCall {
  /// What opens a stream: 200 with a body that is read later, or 204 for its end.
  static let streamExpectation = ResponseExpectation(statuses: 200..<205, format: .bytes)

  /// Throws `APIError.Reason.misconfigured` for what a manager states and does not count; once for each type.
  @MainActor static func check(
    _ manager: AnyObject, _ statements: [Statement], of contract: String, below base: AnyClass,
    _ service: some APIService
  ) throws(APIError) {
    guard !checked.contains(ObjectIdentifier(type(of: manager))) else { return }
    let faults = statements.faults(of: manager, of: contract, below: base) + service.lostStatements
    guard faults.isEmpty else {
      throw APIError(.takeoff, .misconfigured, faults.joined(separator: "; "))
    }
    checked.insert(ObjectIdentifier(type(of: manager)))
  }

  @MainActor private static var checked: Set<ObjectIdentifier> = []
}
