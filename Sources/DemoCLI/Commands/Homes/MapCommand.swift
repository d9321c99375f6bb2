import Foundation
import Reformers

/// Shows homes as dots in the terminal and as a picture: the responses of the list, through another
/// reformer.
struct MapCommand: Command {
  static let name = "map"
  static let summary = "show homes on a map: dots in the terminal, and on request an SVG file"
  static let example = "map --source ames --max-price 200000 --svg homes.svg"
  static let options =
    Option.filters + [
      Option("--source", value: "NAME", help: "sacramento, the default, ames, or new"),
      Option("--limit", value: "N", help: "at most so many homes; the default is 1000"),
      Option("--svg", value: "FILE", help: "write the map as a picture to this file"),
    ]

  private let query: HomeQuery
  private let source: HomeSource
  private let limit: Int
  private let file: String?

  init(_ arguments: ParsedArguments) throws(UsageError) {
    query = try HomeQuery(arguments)
    guard arguments.text("--source") != "all" else { throw UsageError("a map shows one source at a time") }
    source = arguments.has("--source") ? query.sources[0] : .sacramento
    limit = try arguments.number("--limit", in: 1...10_000) ?? 1000
    file = try arguments.outputFile("--svg")
  }

  func run(in session: Session) async throws {
    let points = try await HomeLoader(session: session).points(query, from: source, limit: limit)
    if let file {
      let title = "\(source.title), \(points.count) homes"
      try OutputFile.write(Data(SVGMap.text(points, title: title).utf8), to: file)
      session.console.error("wrote \(file)")
    }
    if session.writesJSON {
      let plain = points.map { point -> [String: Any?] in
        [
          "id": point.id, "name": point.name, "price": point.price, "latitude": point.latitude,
          "longitude": point.longitude,
        ]
      }
      return try HomePrinter(session: session).json(result: ["points": plain])
    }
    for line in DotMap.lines(points, columns: min(session.console.width, 100), rows: 20) {
      session.console.print(line)
    }
    session.console.print("\(source.title): \(points.count) homes")
    HomePrinter(session: session).printOrigins()
  }
}
