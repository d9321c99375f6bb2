import Reformers

/// Shows the demo step by step; each step is a command line.
struct TourCommand: Command {
  static let name = "tour"
  static let summary = "a short walk through all of it, with a cache of its own"
  static let example = "tour"
  static let hasOwnCache = true

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
    ("What reformers make of the responses", ["reform"]),
    ("The homes of the list as a map, by another reformer", ["map", "--source", "ames"]),
    ("Several loads as one, and a chain of loads", ["group"]),
    ("Prices as they change, over a WebSocket", ["watch", "--count", "4", "--every", "100"]),
    (
      "The same as server-sent events, of one place",
      ["watch", "--events", "--place", "Sawyer", "--count", "4", "--every", "100"]
    ),
    ("What each takeoff policy does with four loads in a row", ["takeoff"]),
    ("A server dies on the way, and no load fails", ["hosts"]),
    ("A test with a tape: no server is asked", ["tape"]),
  ]

  func run(in session: Session) async throws {
    let console = session.console
    // Between the JSON of the steps, a title would be read as a part of it.
    let say = session.writesJSON ? console.error : console.print
    for (index, step) in Self.steps.enumerated() {
      try Task.checkCancellation()
      if index > 0 { say("") }
      say(console.palette.paint(step.title, .head))
      say("$ DemoCLI \(step.words.joined(separator: " "))\n")
      guard let type = DemoCLI.command(named: step.words[0]) else { continue }
      let words = Array(step.words.dropFirst())
      let arguments = try ParsedArguments(words, options: type.allOptions, operands: type.operands)
      try await type.init(arguments).run(in: session)
    }
    say("\nAny URL: DemoCLI get URL, post, ws, events; DemoCLI help lists all.")
  }
}
