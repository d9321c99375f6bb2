import APIKit
import Foundation

/// What a flight costs while it is outstanding: a server that accepts and never responds holds them all.
func flightMemory(_ measurement: Measurement) throws {
  let names = (
    few: "memory per flight, 5,000 outstanding",
    many: "memory per flight, 50,000 waiting, beside the task that awaits it"
  )
  if measurement.wants(names.few) {
    let few: FlightMemory = try ChildProcess.run("outstanding-flights", ["5000"])
    measurement.record(
      names.few, few.resident, "KiB", bar: .atMost(12),
      note: String(format: "resident, with the task that awaits it; on the heap %.2f", few.heap))
  }
  if measurement.wants(names.many) {
    // Most of these wait for a place and have no handle of libcurl yet.
    let many: FlightMemory = try ChildProcess.run("outstanding-flights", ["50000"])
    let task: FlightMemory = try ChildProcess.run("idle-tasks", ["50000"])
    measurement.record(
      names.many, many.heap - task.heap, "KiB", bar: .atMost(2),
      note: String(
        format: "on the heap; %.2f with the task, an idle task alone %.2f, resident %.2f", many.heap,
        task.heap, many.resident))
  }
}

/// The memory of each flight or task, in KiB.
struct FlightMemory: Codable {
  let heap: Double
  let resident: Double
}

/// Requests that nobody responds to, sent by a task each; the argument is how many.
func outstandingFlights(_ arguments: [String]) async throws -> FlightMemory {
  let count = try number(arguments)
  let listener = try SilentListener()
  var configuration = TransportConfiguration.ephemeral
  configuration.timeouts = HTTPTimeouts(connect: .zero, idle: .zero, total: .zero)
  let transport = try CurlTransport(configuration)
  let url = try HTTPURL("http://127.0.0.1:\(listener.port)/")
  let growth = Growth(count)
  let (landed, memory) = try await withThrowingTaskGroup(of: Bool.self) { group in
    for _ in 0..<count {
      group.addTask {
        do throws(APIError) {
          _ = try await transport.send(HTTPRequest(url: url, headers: ["Accept": "application/json"]))
          return false
        } catch {
          return error.reason == .transportStopped
        }
      }
    }
    let memory = try await growth.settled()
    await transport.shutdown()
    return (try await group.reduce(0) { $0 + ($1 ? 1 : 0) }, memory)
  }
  guard landed == count else { throw BenchFailure("\(landed) of \(count) flights landed") }
  return memory
}

/// Tasks of a group that wait and do nothing else; the argument is how many.
func idleTasks(_ arguments: [String]) async throws -> FlightMemory {
  let count = try number(arguments)
  let waiting = WaitingTasks(count)
  let growth = Growth(count)
  return try await withThrowingTaskGroup(of: Bool.self) { group in
    for _ in 0..<count {
      group.addTask {
        await waiting.wait()
        return true
      }
    }
    let memory = try await growth.settled()
    waiting.resume()
    try await group.waitForAll()
    return memory
  }
}

private func number(_ arguments: [String]) throws -> Int {
  guard let number = arguments.first.flatMap({ Int($0) }) else { throw BenchFailure("a number is needed") }
  return number
}

/// What the process grows by from now on, for each of so many.
private struct Growth {
  private let count: Int
  private let before: (heap: Int, resident: Int)

  init(_ count: Int) {
    self.count = count
    ProcessUse.trimHeap()
    before = (ProcessUse.heap, ProcessUse.resident)
  }

  /// The growth once memory has stood still for a second: all have been taken in.
  func settled() async throws -> FlightMemory {
    var (size, still) = (-1, 0)
    while still < 10 {
      try await Task.sleep(for: .milliseconds(100))
      let now = ProcessUse.resident
      still = now > size ? 0 : still + 1
      size = max(size, now)
    }
    return FlightMemory(
      heap: Double(ProcessUse.heap - before.heap) / Double(count) / 1024,
      resident: Double(ProcessUse.resident - before.resident) / Double(count) / 1024)
  }
}

/// Tasks that wait for nothing.
private final class WaitingTasks: Sendable {
  private let continuations = Mutex<[UnsafeContinuation<Void, Never>]>([])

  init(_ count: Int) { continuations.withLock { $0.reserveCapacity(count) } }

  func wait() async {
    await withUnsafeContinuation { continuation in continuations.withLock { $0.append(continuation) } }
  }

  func resume() { for continuation in continuations.withLock({ $0 }) { continuation.resume() } }
}

/// Listens, and leaves what connects in the kernel's hands.
private final class SilentListener {
  let port: Int
  private let listener: Int32

  init() throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    self.listener = listener
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        bind(listener, pointer, length) == 0 && listen(listener, 512) == 0
          && getsockname(listener, pointer, &length) == 0
      }
    }
    guard isBound else { throw BenchFailure("no port") }
    port = Int(UInt16(bigEndian: address.sin_port))
  }

  deinit { close(listener) }
}
