/// Shows the demo step by step; each step is a command line.
struct TourCommand: Command {
  static let name = "tour"
  static let summary = "a short walk through all of it"
  static let example = "tour --no-cache"

  init(_ arguments: ParsedArguments) throws(UsageError) {}

  private static let steps: [(title: String, words: [String])] = [
    ("Three services, three vocabularies, one list", ["list", "--size", "8"]),
    ("The same again: what need not be asked again is not asked again", ["list", "--size", "8"]),
    (
      "Filtered and sorted by each service in its own words",
      [
        "filter", "--beds", "4", "--min-price", "250000", "--max-price", "400000", "--sort", "-area",
        "--size", "8",
      ]
    ),
    ("One home, by a manager of its own", ["show", "ames-17"]),
    ("The same responses as a map, by another reformer", ["map", "--source", "ames", "--no-svg"]),
    ("Prices as they change, over a WebSocket", ["watch", "--count", "4", "--every", "100"]),
    (
      "The same as server-sent events, of one place",
      ["watch", "--events", "--place", "Sawyer", "--count", "4", "--every", "100"]
    ),
    ("What each takeoff policy does with four loads in a row", ["takeoff"]),
    ("A server dies on the way, and no load fails", ["hosts"]),
  ]

  func run(in session: Session) async throws {
    for (index, step) in Self.steps.enumerated() {
      if index > 0 { session.console.print("") }
      session.console.print("\(step.title)\n$ DemoCLI \(step.words.joined(separator: " "))\n")
      guard let type = DemoCLI.command(named: step.words[0]) else { continue }
      let words = Array(step.words.dropFirst())
      let arguments = try ParsedArguments(
        words, options: type.options + Option.common, operands: type.operands)
      try await type.init(arguments).run(in: session)
    }
  }
}
