import APIKit
import APIKitConsole
import APIKitReports
import Foundation

/// Loads all the time and shows what happens.
struct MonitorCommand: Command {
  static let name = "monitor"
  static let summary = "load all the time, and show rates, percentiles and what is in the air"
  static let example = "monitor --seconds 10"
  static let notes = ["on purpose  \(LoadMix.provoked)"]
  static let options = [
    Option("--seconds", value: "N", help: "end after so long; without it Ctrl-C ends it"),
    Option("--rate", value: "N", help: "rounds of loads a second, 1 to 1000; the default is 10"),
    Option("--web", help: "show the loads live in a browser; its address is printed on stderr"),
  ]

  private let seconds: Int?
  private let rate: Int

  init(_ arguments: ParsedArguments) throws(UsageError) {
    seconds = try arguments.number("--seconds", in: 1...86_400)
    rate = try arguments.number("--rate", in: 1...1000) ?? 10
  }

  func run(in session: Session) async throws {
    let statistics = FlightStatistics()
    statistics.isOn = true
    defer { statistics.isOn = false }
    let mix = try LoadMix(session)
    let rate = rate
    let loads = Task {
      var round = 1
      while !Task.isCancelled {
        await mix.runRound(round)
        round += 1
        try? await Task.sleep(for: .seconds(1) / rate)
      }
    }
    defer { loads.cancel() }
    let page = try session.page.get()
    defer { page?.stop() }
    if let page { session.console.error("the loads are shown at \(page.url)") }
    let screen = session.writesJSON || page != nil ? nil : TerminalScreen.open()
    defer { screen?.close() }
    if screen == nil { session.console.error(LoadMix.provoked) }
    let clock = SystemTime()
    let begin = clock.now
    while seconds.map({ clock.now - begin < .seconds($0) }) ?? true {
      let frame = MonitorFrame(
        report: statistics.report, inAir: FlightRegistry.shared.flights(), now: clock.now, begin: begin)
      if let screen {
        screen.show(frame.lines(screen.size, screen.palette))
      } else if session.writesJSON {
        try HomePrinter(session: session).json(frame.plain)
      } else {
        session.console.print(frame.line)
      }
      try await Task.sleep(for: screen == nil ? .seconds(1) : .milliseconds(250))
    }
  }
}
