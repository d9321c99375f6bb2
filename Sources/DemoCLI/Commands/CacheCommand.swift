import APIKit

/// Shows what earlier runs with `--cache` have kept, and clears it.
struct CacheCommand: Command {
  static let name = "cache"
  static let summary = "what runs with --cache have kept on disk"
  static let options = [Option("--clear", help: "drop all of it")]

  private let clears: Bool

  init(_ arguments: ParsedArguments) throws(UsageError) { clears = arguments.has("--clear") }

  func run(in session: Session) async throws {
    let cache = session.cache ?? Answers.open()
    cache.onFault { fault in Task { @MainActor in session.console.error("DemoCLI: \(fault)") } }
    if clears {
      cache.removeAll()
      await cache.flush()
    }
    let disk = cache.statistics.disk
    if session.writesJSON {
      let plain: [String: Any?] = ["folder": Answers.folder, "answers": disk.count, "bytes": disk.bytes]
      return try HomePrinter(session: session).json(plain)
    }
    session.console.print("\(disk.count) answers, \(disk.bytes) bytes in \(Answers.folder)")
  }
}
