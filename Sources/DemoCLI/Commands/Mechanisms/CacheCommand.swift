import APIKit
import Reformers

/// Shows the stored responses of all runs and how often they were used, and removes them.
struct CacheCommand: Command {
  static let name = "cache"
  static let summary = "what runs have kept, and how often it was used"
  static let example = "cache --clear"
  static let options = [Option("--clear", help: "drop all of it")]

  private let clears: Bool

  init(_ arguments: ParsedArguments) throws(UsageError) {
    clears = arguments.has("--clear")
    guard !arguments.has("--no-cache") else {
      throw UsageError("cache is about the cache: leave --no-cache out")
    }
  }

  func run(in session: Session) async throws {
    guard let cache = try session.cache else { return }
    if clears {
      cache.removeAll()
      await cache.flush()
    }
    let numbers = cache.statistics
    // The counts of the disk are those of all runs; the counts of memory are those of this run.
    let levels = [("disk", numbers.diskOverall), ("memory", numbers.memory)]
    if session.writesJSON {
      var plain: [String: Any?] = ["folder": session.cacheFolder, "faults": numbers.faults]
      for (name, level) in levels {
        plain[name] = [
          "responses": level.count, "bytes": level.bytes, "hits": level.hits, "misses": level.misses,
          "stores": level.stores, "evictions": level.evictions,
        ]
      }
      return try HomePrinter(session: session).json(plain)
    }
    let heads = ["Level", "Kept", "Bytes", "Hits", "Misses", "Stores", "Evictions"]
    let rows = levels.map { name, level in
      [name]
        + [level.count, level.bytes, level.hits, level.misses, level.stores, level.evictions].map {
          Formatting.grouped($0.magnitude)
        }
    }
    let columns = heads.map { TextTable.Column($0, alignment: $0 == "Level" ? .left : .right) }
    session.console.print(TextTable(columns: columns, rows: rows))
    session.console.print("in \(session.cacheFolder)")
  }
}
