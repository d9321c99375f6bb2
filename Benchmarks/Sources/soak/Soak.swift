import APIKit
import Foundation

/// Loads, cancels and releases at random, and says what did not end as it must. See ``usage``.
@main @MainActor struct Soak {
  static let usage = """
    usage: soak [SECONDS|ROUNDSr|LOADSl] [--seed N] [--scene SCENE] [--plant FAULT]
      SECONDS        how long; the default is 60. 20r is a number of rounds, of about a second each, 1000000l of loads
      --seed N       repeats the random choices of another run; which load meets which fault still depends on time
      --scene SCENE  sides: two users side by side; turns: two who take turns; the default is both
      --plant FAULT  puts in a fault that must be found: \(Plant.allCases.map(\.rawValue).joined(separator: ", "))
    Two users load side by side, and two take turns, over proxies that cut, reset, stall, trickle and die with requests
    in hand; with a WebSocket and an event stream used from their callbacks, transfers whose process is killed, and an
    outbox. Every load must land once, with its own response, and only while its user is signed in; the servers must read
    it under that user, and once where it is not idempotent and has no key; memory, descriptors and the registry must be
    flat.
    Exits 0 when all of it held, 1 when something did not, 2 for wrong usage.

    """

  static func main() async {
    if CommandLine.arguments.dropFirst().first == "--transfer" {
      exit(await TransferProcess.run(Array(CommandLine.arguments.dropFirst(2))))
    }
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
  /// of connections that are left open, and more on a busy machine.
  private static let heapAllowance = 1 << 20

  private static func run(_ options: Options) async throws -> [String] {
    var random = SoakRandom(seed: options.seed)
    // A short first life opens and fills what the process keeps for ever.
    var (breaches, _) = try await live(&random, plant: nil, options.scene) { _, rounds, _ in rounds == 1 }
    let before = await descriptors(atMost: 0)
    let targets = Holdings.targets
    let (found, heaps) = try await live(&random, plant: options.plant, options.scene, until: options.isOver)
    breaches += found

    let after = await descriptors(atMost: before)
    if after > before {
      breaches.append("\(after - before) descriptors are left open: \(Holdings.targets); before: \(targets)")
    }
    if let growth = growth(of: heaps) {
      say("soak: the heap grew by \(growth >> 10) KiB in the second half of \(heaps.count) rounds")
      if growth > heapAllowance { breaches.append("the heap grew by \(growth >> 10) KiB in the second half") }
    }
    return breaches
  }

  /// Rounds of new worlds, until enough time, rounds or loads have passed; what was found, and the heap after each round.
  private static func live(
    _ random: inout SoakRandom, plant: Plant?, _ scene: Scene, until isOver: (Duration, Int, Int) -> Bool
  ) async throws -> (breaches: [String], heaps: [Int]) {
    let sides = scene == .turns ? nil : try SoakWorld(random: random.split(), plant: plant)
    let turns = scene == .sides ? nil : try SwitchWorld(random: random.split(), plant: plant)
    var landed: Int { (sides?.book.landed ?? 0) + (turns?.book.landed ?? 0) }
    var breaches: [String] { (sides?.book.breaches ?? []) + (turns?.breaches ?? []) }
    var heaps: [Int] = []
    let start = ContinuousClock.now
    while !isOver(ContinuousClock.now - start, heaps.count, landed),
      breaches.count < 20
    {
      await sides?.round(lasting: round)
      await turns?.round(lasting: round)
      heaps.append(Holdings.heap)
    }
    sides?.end()
    await turns?.end()
    if let sides { say(summary(of: sides.book, sides.proxyCounts)) }
    if let turns { say(summary(of: turns)) }
    return (breaches, heaps)
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

  private static func list(_ counts: [String: Int]) -> String {
    counts.isEmpty
      ? "none" : counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
  }

  private static func summary(of world: SwitchWorld) -> String {
    """
    soak: loads of users who take turns: \(list(world.book.outcomes)); \(world.signIns) times another sign-in
    soak: failures: \(list(world.book.failures))
    soak: \(world.deaths) deaths of servers; \(world.connectionCount) sockets and streams with \(world.items) calls; \
    \(world.transfers) transfers, killed \(world.kills) times; \(world.queuedCount) queued loads
    """
  }

  private static func summary(of book: SoakBook, _ proxy: SoakWorld.ProxyCounts) -> String {
    """
    soak: loads: \(list(book.outcomes))
    soak: failures: \(list(book.failures))
    soak: proxy: \(proxy.connections) connections; \(list(proxy.faults))
    """
  }

  private enum Scene: String {
    case all, sides, turns
  }

  private struct Options {
    /// Seconds, or rounds.
    var length = 60
    var unit = Unit.seconds
    var seed = UInt64.random(in: 0..<1_000_000)
    var plant: Plant?
    var scene = Scene.all

    init?(_ arguments: ArraySlice<String>) {
      var arguments = arguments
      while let argument = arguments.popFirst() {
        switch argument {
        case "--seed":
          guard let number = arguments.popFirst().flatMap({ UInt64($0) }) else { return nil }
          seed = number
        case "--scene":
          guard let name = arguments.popFirst().flatMap({ Scene(rawValue: $0) }) else { return nil }
          scene = name
        case "--plant":
          guard let fault = arguments.popFirst().flatMap({ Plant(rawValue: $0) }) else { return nil }
          plant = fault
        default:
          unit = Unit(rawValue: argument.last ?? " ") ?? .seconds
          guard let number = Int(unit == .seconds ? argument[...] : argument.dropLast()), number > 0 else {
            return nil
          }
          length = number
        }
      }
    }

    enum Unit: Character {
      case seconds = "s"
      case rounds = "r"
      case loads = "l"
    }

    func isOver(after time: Duration, _ rounds: Int, _ loads: Int) -> Bool {
      switch unit {
      case .seconds: time >= .seconds(length)
      case .rounds: rounds >= length
      case .loads: loads >= length
      }
    }
  }
}
