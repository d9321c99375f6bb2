import APIKit
import Reformers

/// Shows one home.
struct ShowCommand: Command {
  static let name = "show"
  static let summary = "show one home by its id"
  static let example = "show ames-17"
  static let operands = ["ID"]

  private let id: String
  private let source: HomeSource

  init(_ arguments: ParsedArguments) throws(UsageError) {
    id = arguments.operands[0]
    guard let source = HomeSource(id: id) else {
      throw UsageError("\(id) is no id of a home: they begin with sac-, ames- or xf-")
    }
    self.source = source
  }

  func run(in session: Session) async throws {
    let manager = try source.home(in: session)
    session.note(try await manager.response(for: ["id": id]).provenance)
    try HomePrinter(session: session).print(try manager.fetchData(with: PropertyDetailReformer()))
  }
}
