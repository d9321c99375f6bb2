import APIKit
import APIKitTransfers

/// What becomes of the loads whose user changes: each lands once, with its own response, and while its user is signed in.
@MainActor final class SwitchedBook: APIManagerDelegate {
  private struct Ask {
    var number: Int
    var signIn: Int
    var manager: ObjectIdentifier
  }

  private(set) var outcomes: [String: Int] = [:]
  private(set) var failures: [String: Int] = [:]
  private var open: [FlightID: Ask] = [:]
  /// Numbers of queued loads whose user left: once the user is back, the attached manager is told how the item ended.
  private var left: Set<Int> = []
  private let plant: Plant?
  private let user: @MainActor () -> String
  private let breach: @MainActor (String) -> Void
  /// Rises with each sign-in of another user and each sign-out.
  var signIn = 0

  init(
    plant: Plant?, user: @escaping @MainActor () -> String, breach: @escaping @MainActor (String) -> Void
  ) {
    (self.plant, self.user, self.breach) = (plant, user, breach)
  }

  var openCount: Int { open.count }
  var landed: Int { outcomes.values.reduce(0, +) }

  func giveUp() {
    for (id, ask) in open { breach("the load \(id) of number \(ask.number) did not land") }
    open = [:]
  }

  func load(_ manager: BaseAPIManager, _ takeoff: Takeoff, _ number: Int) {
    switch takeoff {
    case .flying(let id), .waiting(let id):
      open[id] = Ask(number: number, signIn: signIn, manager: ObjectIdentifier(manager))
    case .refused: outcomes["refused", default: 0] += 1
    }
  }

  /// The manager is about to be released, and its loads with it.
  func release(_ manager: BaseAPIManager) {
    for (id, ask) in open where ask.manager == ObjectIdentifier(manager) {
      open[id] = nil
      outcomes["released", default: 0] += 1
    }
  }

  func manager(_ manager: BaseAPIManager, didSucceedWith response: APIResponse) {
    let (number, user) = (response.raw["number"].int, response.raw["user"].string)
    if manager is QueuedManager, response.flightID == nil { return landKept(number ?? -1) }
    guard let ask = land(response.flightID, "succeeded") else { return }
    if number != ask.number || user != SoakLedger.owner(of: ask.number) {
      breach("\(ask.number) landed with \(number ?? -1) of \(user ?? "nobody") (\(response.provenance))")
    }
    // A queued load waits for its user's next sign-in.
    let isLate = ask.signIn != signIn || plant == .lateLanding && ask.number % 10 < 2
    if isLate, !(manager is QueuedManager) {
      breach("\(ask.number) landed though its user has signed out meanwhile (\(response.provenance))")
    }
  }

  func manager(_ manager: BaseAPIManager, didFailWith error: APIError) {
    guard let ask = land(error.context.flightID.map(FlightID.init(rawValue:)), "failed") else { return }
    failures[error.label, default: 0] += 1
    if error.reason == .signedOut, ask.signIn == signIn {
      breach("\(ask.number) ended as signed out though its user stays")
    }
  }

  func manager(_ manager: BaseAPIManager, didCancel flight: FlightID, because reason: CancellationReason) {
    guard let ask = land(flight, "cancelled") else { return }
    if manager is QueuedManager, reason == .signedOut { left.insert(ask.number) }
  }

  /// Whether a queued load of a user has ended without that user being told.
  func owes(_ user: String) -> Bool { left.contains { SoakLedger.owner(of: $0) == user } }

  private func landKept(_ number: Int) {
    outcomes["told later", default: 0] += 1
    if left.remove(number) == nil { breach("the queued load \(number) landed once too often") }
    if SoakLedger.owner(of: number) != user() { breach("\(number) was told to \(user())") }
  }

  private func land(_ flight: FlightID?, _ outcome: String) -> Ask? {
    guard let flight, let ask = open.removeValue(forKey: flight) else {
      breach("the load \(flight?.description ?? "without an id") landed once too often")
      return nil
    }
    outcomes[outcome, default: 0] += 1
    return ask
  }
}
