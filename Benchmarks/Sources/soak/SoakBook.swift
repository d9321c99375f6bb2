import APIKit

/// Who loads what, and what became of it: every load must land once, with its own response.
@MainActor final class SoakBook: APIManagerDelegate {
  /// What a load asks for.
  struct Ask {
    var user: String
    var number: Int
  }

  /// What became of loads, by name; and the failures, by label.
  private(set) var outcomes: [String: Int] = [:]
  private(set) var failures: [String: Int] = [:]
  private(set) var breaches: [String] = []
  /// How many awaited loads have not returned.
  private(set) var awaited = 0
  private var open: [FlightID: (ask: Ask, manager: ObjectIdentifier)] = [:]
  private var plant: Plant?

  init(plant: Plant?) { self.plant = plant }

  /// How many loads have landed, failed or ended otherwise.
  var landed: Int { outcomes.values.reduce(0, +) }

  /// How many loads have not landed.
  var openCount: Int { open.count + awaited }

  func breach(_ text: String) { breaches.append(text) }

  /// Reports the loads that have not landed, and waits for them no longer.
  func giveUp() {
    for (id, entry) in open { breach("the load \(id) of \(entry.ask) did not land") }
    if awaited > 0 { breach("\(awaited) awaited loads did not return") }
    open = [:]
  }

  // MARK: Loads

  func load(_ manager: SoakManager, _ ask: Ask) {
    switch manager.load(["number": ask.number]) {
    case .flying(let id), .waiting(let id): open[id] = (ask, ObjectIdentifier(manager))
    case .refused: outcomes["refused", default: 0] += 1
    }
  }

  /// Loads and waits for the response; the manager has no delegate.
  func response(_ manager: SoakManager, _ ask: Ask) async {
    awaited += 1
    defer { awaited -= 1 }
    do {
      check(try await manager.response(["number": ask.number]), ask)
      count("succeeded")
    } catch  where error.reason == .alreadyLoading {
      count("refused")
    } catch {
      fail(error)
    }
  }

  /// The manager is about to be released: its loads end with it and are not delivered.
  func release(_ manager: SoakManager) {
    for (id, entry) in open where entry.manager == ObjectIdentifier(manager) {
      open[id] = nil
      count("released")
    }
  }

  // MARK: Landings

  func manager(_ manager: BaseAPIManager, didSucceedWith response: APIResponse) {
    guard let ask = land(response.flightID, "succeeded") else { return }
    check(response, ask)
  }

  func manager(_ manager: BaseAPIManager, didPreviewWith response: APIResponse) {
    guard let id = response.flightID, let entry = open[id] else {
      return breach("a preview of a load that is over")
    }
    check(response, entry.ask)
  }

  func manager(_ manager: BaseAPIManager, didFailWith error: APIError) {
    guard land(error.context.flightID.map(FlightID.init(rawValue:)), nil) != nil else { return }
    fail(error)
  }

  func manager(_ manager: BaseAPIManager, didCancel flight: FlightID, because reason: CancellationReason) {
    _ = land(flight, "cancelled")
  }

  private func land(_ flight: FlightID?, _ outcome: String?) -> Ask? {
    if plant == .lostLanding, let flight, let entry = open[flight], entry.ask.number % 20 == 0 { return nil }
    guard let flight, let entry = open.removeValue(forKey: flight) else {
      breach("the load \(flight?.description ?? "without an id") landed once too often")
      return nil
    }
    if let outcome { count(outcome) }
    if plant == .doubleLanding {
      plant = nil
      _ = land(flight, outcome)
    }
    return entry.ask
  }

  private func fail(_ error: APIError) {
    guard !error.isCancellation else { return count("cancelled") }
    count("failed")
    failures[error.label, default: 0] += 1
  }

  private func count(_ outcome: String) { outcomes[outcome, default: 0] += 1 }

  private func check(_ response: APIResponse, _ ask: Ask) {
    let (number, user) = (response.raw["number"].int, response.raw["user"].string)
    guard number != ask.number || user != ask.user else { return }
    breach(
      "\(ask.user) asked for \(ask.number) and landed with \(number.map { "\($0)" } ?? "nothing")"
        + " of \(user ?? "nobody") (\(response.provenance))")
  }
}
