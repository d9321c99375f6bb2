import APIKit
import APIKitTransfers
import CMachine
import Foundation

/// The outbox against SQLite called from C, and its launch with many items.
enum QueueRows {
  private static let rowBytes = 220

  static func enqueue(_ measurement: Measurement) throws {
    let names = (
      one: "enqueue one load after another, against bare SQLite with FULL",
      bulk: "enqueue 10,000 loads in bulk, against bare SQLite with FULL"
    )
    for (name, count, each, bar) in [(names.one, 500, 1, 0.6), (names.bulk, 10_000, 10_000, 0.4)] {
      guard measurement.wants(name) else { continue }
      var times: (ours: [Double], theirs: [Double]) = ([], [])
      for _ in 0..<measurement.rounds * 2 + 1 {
        let ours: PinnedTime = try ChildProcess.run("outbox-enqueue", ["\(count)", "\(each)"])
        times.ours.append(ours.seconds)
        let theirs: PinnedTime = try ChildProcess.run("bare-enqueue", ["\(count)", "\(each)", "\(rowBytes)"])
        times.theirs.append(theirs.seconds)
      }
      let (ours, theirs) = (TransferRows.median(times.ours), TransferRows.median(times.theirs))
      measurement.record(
        name, theirs / ours, "x", bar: .atLeast(bar),
        note: String(format: "%.1f against %.1f µs each, medians", ours * 1e6, theirs * 1e6))
    }
  }

  static func launch(_ measurement: Measurement) throws {
    let name = "launch with 100,000 items, to the first request"
    guard measurement.wants(name) else { return }
    var times: [Double] = []
    for _ in 0..<measurement.rounds {
      // A launch that was ended leaves its item waiting for its next attempt, so each has a queue of its own.
      let folder = try newFolder()
      defer { try? FileManager.default.removeItem(atPath: folder) }
      let _: PinnedTime = try ChildProcess.run("outbox-fill", ["100000", folder])
      let time: PinnedTime = try ChildProcess.run("outbox-launch", [folder])
      times.append(time.seconds)
    }
    measurement.record(
      name, TransferRows.median(times) * 1e3, "ms", bar: .atMost(150),
      note: "a fresh process, from the making of the outbox; median of \(measurement.rounds)")
  }
}

private final class BenchNotes: BaseAPIManager, APIManager {
  let service: ControlledService
  let apiName = "notes"
  let method = HTTPMethod.post
  let isQueued = true
  init(_ service: ControlledService) { self.service = service }

  static func note(_ number: Int) -> Parameters {
    ["title": "A house by the lake", "number": number, "city": "Suzhou", "beds": 3, "quiet": true]
  }
}

@MainActor private func makeOutbox(_ folder: String, _ transport: any HTTPTransport) -> (Outbox, BenchNotes) {
  let service = ControlledService(transport: transport)
  var configuration = OutboxConfiguration(folder: folder)
  configuration.network = NetworkMonitor(watchesSystem: false)
  configuration.maximumItems = 1_000_000
  let outbox = Outbox(configuration)
  outbox.register(BenchNotes.self) { BenchNotes(service) }
  return (outbox, BenchNotes(service))
}

private func newFolder() throws -> String {
  let folder = FileManager.default.temporaryDirectory.appendingPathComponent("bench-\(UUID())")
  try FileManager.default.createDirectory(
    at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  return folder.path
}

/// Keeps so many loads, one or all at a time; the seconds of each.
@MainActor func outboxEnqueue(_ arguments: [String]) async throws -> PinnedTime {
  guard arguments.count == 2, let count = Int(arguments[0]), let each = Int(arguments[1]) else {
    throw BenchFailure("two numbers are needed")
  }
  let folder = try newFolder()
  defer { try? FileManager.default.removeItem(atPath: folder) }
  let (outbox, notes) = makeOutbox(folder, InstantTransport())
  // The database is there.
  try await outbox.enqueue(notes, BenchNotes.note(0))
  let parameters = (1...count).map(BenchNotes.note)
  let start = ContinuousClock.now
  if each == 1 {
    for parameters in parameters { try await outbox.enqueue(notes, parameters) }
  } else {
    try await outbox.enqueue(notes, each: parameters)
  }
  return PinnedTime(seconds: Measurement.seconds(.now - start) / Double(count))
}

/// The same by SQLite called from C; the arguments are how many, how many by one commit, and the bytes of each.
func bareEnqueue(_ arguments: [String]) async throws -> PinnedTime {
  guard arguments.count == 3, let count = Int32(arguments[0]), let each = Int32(arguments[1]),
    let bytes = Int32(arguments[2])
  else { throw BenchFailure("three numbers are needed") }
  let folder = try newFolder()
  defer { try? FileManager.default.removeItem(atPath: folder) }
  guard machine_sqlite_insert(folder + "/bare.sqlite", bytes, 1, 1) >= 0 else { throw BenchFailure("SQLite") }
  let seconds = machine_sqlite_insert(folder + "/bare.sqlite", bytes, count, each)
  guard seconds >= 0 else { throw BenchFailure("SQLite") }
  return PinnedTime(seconds: seconds / Double(count))
}

/// Fills an outbox; the arguments are how many and the folder.
@MainActor func outboxFill(_ arguments: [String]) async throws -> PinnedTime {
  guard arguments.count == 2, let count = Int(arguments[0]) else {
    throw BenchFailure("a number and a folder")
  }
  let (outbox, notes) = makeOutbox(arguments[1], InstantTransport())
  for start in stride(from: 0, to: count, by: 10_000) {
    try await outbox.enqueue(notes, each: (start..<min(count, start + 10_000)).map(BenchNotes.note))
  }
  return PinnedTime(seconds: 0)
}

/// The seconds from the making of an outbox to its first request; the argument is the folder.
@MainActor func outboxLaunch(_ arguments: [String]) async throws -> PinnedTime {
  guard let folder = arguments.first else { throw BenchFailure("a folder is needed") }
  let transport = FirstRequest()
  let start = ContinuousClock.now
  let (outbox, _) = makeOutbox(folder, transport)
  outbox.start()
  let first = await transport.first()
  await outbox.stop()
  return PinnedTime(seconds: Measurement.seconds(first - start))
}

/// Notes when it is asked first, and never responds.
private final class FirstRequest: HTTPTransport {
  var capabilities: TransportCapabilities { [.totalTimeout] }
  private let seen = AsyncStream.makeStream(of: ContinuousClock.Instant.self)

  func first() async -> ContinuousClock.Instant {
    for await time in seen.stream { return time }
    return .now
  }

  func start(_ exchange: HTTPExchange, completion: @escaping Completion) -> any CancellableOperation {
    seen.continuation.yield(.now)
    return Pending(completion: completion)
  }

  private struct Pending: CancellableOperation {
    let completion: Completion
    func cancel() { completion(.failure(APIError(.transport, .connectionLost))) }
  }
}
