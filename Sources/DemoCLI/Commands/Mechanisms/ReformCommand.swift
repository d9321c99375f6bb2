import APIKit
import Reformers

/// Shows what reformers do: three services' responses become rows of one kind, and one response becomes three things.
struct ReformCommand: Command {
  static let name = "reform"
  static let summary = "one reformer for three services' responses, three reformers for one response"
  static let example = "reform"

  init(_ arguments: ParsedArguments) throws(UsageError) {}

  func run(in session: Session) async throws {
    let printer = HomePrinter(session: session)
    var rows: [PropertyListReformer.Row] = []
    var found: [(source: HomeSource, first: RawData, response: APIResponse)] = []
    for source in HomeSource.allCases {
      let response = try await source.homes(in: session).response(["page": 1, "size": 2])
      session.note(response.provenance)
      rows += try response.data(with: PropertyListReformer()).prefix(1)
      found.append((source, response.raw.at(source.firstHome), response))
    }
    let points = try found.map { try $0.response.data(with: PropertyMapReformer()) }
    let totals = try found.map { try $0.response.data(with: PropertyTotalReformer()) ?? 0 }
    if session.writesJSON {
      let object: [String: Any?] = [
        "raw": found.map(\.first), "rows": rows.map(printer.plain), "points": points.map(\.count),
        "totals": totals,
      ]
      return try printer.json(result: object)
    }
    let console = session.console
    console.print("The first home, as each service names things:")
    for (source, first, _) in found {
      let names = first.members.map(\.key).joined(separator: ", ")
      console.printWrapped("  \(source.rawValue): \(DisplayWidth.printable(names))", indent: 4)
    }
    console.print("\nPropertyListReformer makes one kind of row of all three:")
    console.print(HomePrinter.table(rows))
    console.print("\nOne response of Ames, by three reformers:")
    guard let ames = found.firstIndex(where: { $0.source == .ames }) else { return }
    let reformers = [
      ("PropertyListReformer", "\(points[ames].count) rows"),
      (
        "PropertyMapReformer",
        points[ames].map { "\(Self.degrees($0.latitude)), \(Self.degrees($0.longitude))" }.joined(
          separator: "; ")
      ), ("PropertyTotalReformer", "\(Formatting.grouped(totals[ames].magnitude)) homes in all"),
    ]
    for (name, result) in reformers {
      console.printWrapped("  \(DisplayWidth.fit(name, to: 23))\(result)", indent: 25)
    }
    printer.printOrigins()
  }

  private static func degrees(_ number: Double) -> String { String((number * 1000).rounded() / 1000) }
}

extension HomeSource {
  /// Where the first home stands in a list of the service.
  fileprivate var firstHome: RawPath {
    switch self {
    case .sacramento: "data.items[0]"
    case .ames: "result.rows[0]"
    case .new: "xf_list[0]"
    }
  }
}
