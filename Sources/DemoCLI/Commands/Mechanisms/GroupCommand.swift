import APIKitGroups
import APIKit
import Reformers

/// Shows groups: four loads as one, under each policy, and a chain in which a load is made of the one before.
struct GroupCommand: Command {
  static let name = "group"
  static let summary = "four loads as one, of which one fails, under each policy; and a chain of loads"
  static let example = "group --no-cache"

  init(_ arguments: ParsedArguments) throws(UsageError) {}

  private static let policies: [(name: String, policy: GroupPolicy)] = [
    ("failFast", .failFast), ("settleAll", .settleAll), ("quorum of 3", .quorum(3)),
    ("firstSuccess", .firstSuccess),
  ]

  private struct Outcome {
    var policy: String
    var hasSucceeded: Bool
    var landed = 0
    var failed = 0
    var cancelled = 0
  }

  func run(in session: Session) async throws {
    var outcomes: [Outcome] = []
    for (name, policy) in Self.policies { outcomes.append(try await Self.run(policy, name, in: session)) }
    let home = try await Self.chain(in: session).landing()
    if session.writesJSON {
      let groups = outcomes.map { outcome -> [String: Any?] in
        [
          "policy": outcome.policy, "succeeded": outcome.hasSucceeded, "landed": outcome.landed,
          "failed": outcome.failed, "cancelled": outcome.cancelled,
        ]
      }
      return try HomePrinter(session: session).json(["groups": groups, "chain": home[.id]])
    }
    let columns = ["Policy", "Group", "Landed", "Failed", "Cancelled"].map { TextTable.Column($0) }
    let rows = outcomes.map {
      [
        $0.policy, $0.hasSucceeded ? "succeeded" : "failed", "\($0.landed)", "\($0.failed)",
        "\($0.cancelled)",
      ]
    }
    session.console.print(TextTable(columns: columns, rows: rows))
    session.console.printWrapped(
      "three lists, and a home that is not there; what is not needed any more is cancelled")
    session.console.printWrapped(
      "\nchain: the list of Ames, then its first home: \(home[.name]), \(Formatting.price(home[.price]))")
  }

  private static func run(_ policy: GroupPolicy, _ name: String, in session: Session) async throws -> Outcome
  {
    let group = ManagerGroup(policy, name: name)
    for source in HomeSource.allCases { add(try source.homes(in: session), to: group) }
    group.add(AmesHomeManager(try session.ames).loading(["id": "ames-999999"]))
    var outcome = Outcome(policy: name, hasSucceeded: true)
    do throws(APIError) { _ = try await group.landing() } catch { outcome.hasSucceeded = false }
    try Task.checkCancellation()
    for member in group.results.members {
      switch member.result {
      case .success: outcome.landed += 1
      case .failure(let error) where error.isCancellation: outcome.cancelled += 1
      case .failure: outcome.failed += 1
      case nil: outcome.cancelled += 1
      }
    }
    return outcome
  }

  private static func add(_ manager: some HomesManager, to group: ManagerGroup) {
    group.add(manager.loading(["page": 1, "size": 5]))
  }

  /// The list, then the home that it begins with.
  private static func chain(in session: Session) throws -> ManagerChain<PropertyListReformer.Row> {
    let (list, detail) = (AmesHomesManager(try session.ames), AmesHomeManager(try session.ames))
    return ManagerChain(list.loading(["page": 1, "size": 1]))
      .then { found in
        guard let first = try found.data(with: PropertyListReformer()).first else {
          throw ValidationError("the list is empty")
        }
        return detail.loading(["id": first[.id]])
      }
      .map { try $0.data(with: PropertyDetailReformer()) }
  }
}
