/// Lists homes of one source, or of all three merged.
struct ListCommand: Command {
  static let name = "list"
  static let summary = "list homes of one source, or of all three merged"
  static let options = Option.paging

  private let query: HomeQuery

  init(_ arguments: ParsedArguments) throws(UsageError) { query = try HomeQuery(arguments) }

  func run(in session: Session) async throws {
    let homes = try await HomeLoader(session: session).page(query)
    try HomePrinter(session: session).print(homes, of: query)
  }
}
