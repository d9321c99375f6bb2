import APIKit

/// Loads of every API of the demo, as an application might make them: most succeed, some fail, some are cancelled.
@MainActor
struct LoadMix {
  /// Which of the loads do not succeed, for people.
  nonisolated static let provoked =
    "provoked: every third home of Ames is a 404, and every tenth round has a list that is cancelled"

  private let lists: [any HomesManager]
  private let details: [(manager: any APIManager, ids: [String])]

  init(_ session: Session) throws {
    lists = try HomeSource.allCases.map { try $0.homes(in: session) }
    // The last of each does not exist.
    details = [
      (AmesHomeManager(try session.ames), ["ames-17", "ames-18", "ames-999999"]),
      (SacramentoHomeManager(try session.sacramento), ["sac-17", "sac-18"]),
    ]
  }

  /// Loads each list and a home each. Failures are part of it: statistics have them.
  func runRound(_ round: Int) async {
    for list in lists {
      _ = try? await list.response(["page": 1, "size": 5 + round % 40])
    }
    for (manager, ids) in details {
      _ = try? await manager.response(["id": ids[round % ids.count]])
    }
    if round.isMultiple(of: 10) {
      let flight = lists[0].load(["page": 1, "size": 90])
      if let id = flight.flightID { lists[0].cancel(id) }
    }
  }
}
