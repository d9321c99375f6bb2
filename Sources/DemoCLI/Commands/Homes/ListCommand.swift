/// Lists homes of one source, or of all three merged.
struct ListCommand: Command {
  static let name = "list"
  static let summary = "list homes of one source, or of all three merged"
  static let example = "list --source ames --sort price --size 10"
  static let options =
    Option.paging + [Option("--all", help: "every page, by each service's own way of turning them")]

  private let query: HomeQuery
  private let wantsAll: Bool

  init(_ arguments: ParsedArguments) throws(UsageError) {
    query = try HomeQuery(arguments)
    wantsAll = arguments.has("--all")
    guard !wantsAll || (!arguments.has("--page") && !arguments.has("--size")) else {
      throw UsageError("--all is every page: leave --page and --size out")
    }
  }

  func run(in session: Session) async throws {
    let loader = HomeLoader(session: session)
    let homes = try await wantsAll ? loader.all(query) : loader.page(query)
    try HomePrinter(session: session).print(homes, of: query)
  }
}
