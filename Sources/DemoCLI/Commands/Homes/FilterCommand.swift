import APIKit

/// Lists the homes that fit.
struct FilterCommand: Command {
  static let name = "filter"
  static let summary = "list the homes that fit: price, beds, area, place, type"
  static let example = "filter --place SACRAMENTO --beds 4 --max-price 300000 --sort -area"
  static let options = Option.filters + Option.paging

  private let query: HomeQuery

  init(_ arguments: ParsedArguments) throws(UsageError) {
    query = try HomeQuery(arguments)
    guard !query.filters.isEmpty else {
      throw UsageError(
        "filter needs at least one of \(Option.filters.map { $0.names[0] }.joined(separator: ", "))")
    }
  }

  func run(in session: Session) async throws {
    let homes = try await HomeLoader(session: session).page(query)
    try HomePrinter(session: session).print(homes, of: query)
  }
}
