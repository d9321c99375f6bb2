import APIKit
import APIKitReports
import Foundation

/// Loads a little of everything and writes a page about it.
struct ReportCommand: Command {
  static let name = "report"
  static let summary = "load a little of everything, some of it to fail, and write a page of what happened"
  static let operands = ["FILE"]
  static let example = "report loads.html"
  static let options = [
    Option("--rounds", value: "N", help: "how often everything is loaded, 1 to 1000; the default is 20"),
    Option("--metrics", value: "FILE", help: "write the counts as OpenMetrics, too"),
  ]

  private let file: String
  private let metrics: String?
  private let rounds: Int

  init(_ arguments: ParsedArguments) throws(UsageError) {
    file = arguments.operands[0]
    try OutputFile.check(file, "FILE")
    metrics = try arguments.outputFile("--metrics")
    rounds = try arguments.number("--rounds", in: 1...1000) ?? 20
  }

  func run(in session: Session) async throws {
    let statistics = FlightStatistics()
    statistics.isOn = true
    defer { statistics.isOn = false }
    let mix = try LoadMix(session)
    for round in 1...rounds {
      try Task.checkCancellation()
      await mix.runRound(round)
      session.console.progress("\(statistics.report.totalSinceStart) loads …")
    }
    let report = statistics.report
    let page = ReportPage(
      report, records: FlightLog.shared.records, archive: session.exchanges?.archive ?? HTTPArchive(),
      title: "DemoCLI: \(rounds) rounds of loads")
    try OutputFile.write(Data(page.html.utf8), to: file)
    if let metrics {
      try OutputFile.write(Data(report.openMetrics.utf8), to: metrics)
    }
    guard !session.writesJSON else {
      let summary = report.summary
      let object: [String: Any?] = [
        "file": file, "total": summary.total, "failed": summary.failed, "cancelled": summary.cancelled,
        "successRate": summary.successRate,
      ]
      return try HomePrinter(session: session).json(object)
    }
    session.console.print(report.summary.description)
    session.console.print(LoadMix.provoked)
    session.console.print("written: \(file)")
  }
}
