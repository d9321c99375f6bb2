import APIKit
import Foundation

/// Loads, cancels and releases at random, and says what did not end as it must. See ``usage``.
@main @MainActor struct Soak {
  static let usage = """
    usage: soak [SECONDS|ROUNDSr] [--seed N] [--plant FAULT]
      SECONDS        how long; the default is 60. 20r is a number of rounds, of about half a second each
      --seed N       repeats the random choices of another run; which load meets which fault still depends on time
      --plant FAULT  puts in a fault that must be found: \(Plant.allCases.map(\.rawValue).joined(separator: ", "))
    Two users load over a proxy that cuts, resets, stalls and trickles. Every load must land once, with its own
    response; memory, descriptors and the registry must be flat.
    Exits 0 when all of it held, 1 when something did not, 2 for wrong usage.

    """

  static func main() async {
    guard let options = Options(CommandLine.arguments.dropFirst()) else {
      FileHandle.standardError.write(Data(usage.utf8))
      exit(2)
    }
    say(
      "soak: seed \(options.seed), \(options.length)" + (options.plant.map { ", with \($0.rawValue)" } ?? ""))
    do {
      let breaches = try await run(options)
      for breach in breaches.prefix(20) { say("soak: BREACH: \(breach)") }
      say(breaches.isEmpty ? "soak: all of it held" : "soak: \(breaches.count) breaches")
      exit(breaches.isEmpty ? 0 : 1)
    } catch {
      FileHandle.standardError.write(Data("soak: \(error)\n".utf8))
      exit(2)
    }
  }

  private static func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

  /// How long a round takes before its loads are waited for.
  private static let round = Duration.milliseconds(400)
  /// What the heap may grow by from the second quarter of a run to the last: rounds differ by as much, with the number
  /// of connections that are left open.
  private static let heapAllowance = 512 << 10

  private static func run(_ options: Options) async throws -> [String] {
    var random = SoakRandom(seed: options.seed)
    // A short first life opens and fills what the process keeps for ever.
    let rehearsal = try SoakWorld(random: random.split(), plant: nil)
    await rehearsal.round(lasting: round)
    let rehearsed = rehearsal.book.breaches
    rehearsal.end()
    let before = await descriptors(atMost: 0)

    let world = try SoakWorld(random: random.split(), plant: options.plant)
    let book = world.book
    var heaps: [Int] = []
    let start = ContinuousClock.now
    while !options.isOver(after: ContinuousClock.now - start, heaps.count), book.breaches.count < 20 {
      await world.round(lasting: round)
      heaps.append(Holdings.heap)
    }
    world.end()
    say(summary(of: book, world.proxyCounts))

    let after = await descriptors(atMost: before)
    if after > before { book.breach("\(after - before) descriptors are left open") }
    if let growth = growth(of: heaps) {
      say("soak: the heap grew by \(growth >> 10) KiB in the second half of \(heaps.count) rounds")
      if growth > heapAllowance { book.breach("the heap grew by \(growth >> 10) KiB in the second half") }
    }
    return rehearsed + book.breaches
  }

  /// How much more the heap holds in the last quarter of the rounds than in the second, by their medians; nil when
  /// there are too few rounds to say.
  private static func growth(of heaps: [Int]) -> Int? {
    guard heaps.count >= 16 else { return nil }
    let quarter = heaps.count / 4
    func median(_ part: ArraySlice<Int>) -> Int { part.sorted()[part.count / 2] }
    return median(heaps.suffix(quarter)) - median(heaps[quarter..<2 * quarter])
  }

  /// The open descriptors, once they are no more than `limit` or do not become fewer: a transport's thread closes
  /// its own a little after its last reference is released.
  private static func descriptors(atMost limit: Int) async -> Int {
    var (last, same) = (Holdings.descriptors, 0)
    while last > limit, same < 20 {
      try? await Task.sleep(for: .milliseconds(50))
      let now = Holdings.descriptors
      same = now < last ? 0 : same + 1
      last = now
    }
    return last
  }

  private static func summary(of book: SoakBook, _ proxy: SoakWorld.ProxyCounts) -> String {
    func list(_ counts: [String: Int]) -> String {
      counts.isEmpty
        ? "none" : counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
    }
    return """
      soak: loads: \(list(book.outcomes))
      soak: failures: \(list(book.failures))
      soak: proxy: \(proxy.connections) connections; \(list(proxy.faults))
      """
  }

  private struct Options {
    /// Seconds, or rounds.
    var length = 60
    var countsRounds = false
    var seed = UInt64.random(in: 0..<1_000_000)
    var plant: Plant?

    init?(_ arguments: ArraySlice<String>) {
      var arguments = arguments
      while let argument = arguments.popFirst() {
        switch argument {
        case "--seed":
          guard let number = arguments.popFirst().flatMap({ UInt64($0) }) else { return nil }
          seed = number
        case "--plant":
          guard let fault = arguments.popFirst().flatMap({ Plant(rawValue: $0) }) else { return nil }
          plant = fault
        default:
          countsRounds = argument.hasSuffix("r")
          guard let number = Int(countsRounds ? argument.dropLast() : argument[...]), number > 0 else {
            return nil
          }
          length = number
        }
      }
    }

    func isOver(after time: Duration, _ rounds: Int) -> Bool {
      countsRounds ? rounds >= length : time >= .seconds(length)
    }
  }
}
