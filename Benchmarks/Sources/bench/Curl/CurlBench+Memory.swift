import APIKit
import BareCurl
import Foundation
import Synchronization

extension CurlBench {
  /// What a flight costs while it is outstanding: a server that accepts and never answers holds them all.
  func memory(_ measurement: Measurement) async throws {
    let few = try await outstanding(5_000)
    measurement.record(
      "memory per flight, 5,000 outstanding", few.resident, "KiB", bar: .atMost(12),
      note: "resident, with the task that awaits it")
    // Most of these wait for a place and have no handle of libcurl yet. What they take is counted on the heap:
    // resident memory is partly that of the row before.
    let many = try await outstanding(50_000)
    let task = try await idleTask(50_000)
    measurement.record(
      "memory per flight, 50,000 waiting, beside the task that awaits it", many.heap - task, "KiB",
      bar: .atMost(2),
      note: String(
        format: "%.2f with the task, an idle task alone %.2f, resident %.2f", many.heap, task, many.resident)
    )
  }

  /// KiB of each of so many flights.
  private func outstanding(_ count: Int) async throws -> (heap: Double, resident: Double) {
    let listener = try SilentListener()
    var configuration = TransportConfiguration.ephemeral
    configuration.timeouts = HTTPTimeouts(connect: .zero, idle: .zero, total: .zero)
    let transport = try CurlTransport(configuration)
    let url = try HTTPURL("http://127.0.0.1:\(listener.port)/")
    let before = (heap: ProcessUse.heap, resident: ProcessUse.resident)
    let (landed, grown) = try await withThrowingTaskGroup(of: Bool.self) { group in
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
      try await settle()
      let grown = (heap: ProcessUse.heap - before.heap, resident: ProcessUse.resident - before.resident)
      await transport.shutdown()
      return (try await group.reduce(0) { $0 + ($1 ? 1 : 0) }, grown)
    }
    guard landed == count else { throw BenchError("\(landed) of \(count) flights landed") }
    return (Double(grown.heap) / Double(count) / 1024, Double(grown.resident) / Double(count) / 1024)
  }

  /// KiB of each of so many tasks of a group that wait and do nothing else.
  private func idleTask(_ count: Int) async throws -> Double {
    let waiting = WaitingTasks(count)
    let before = ProcessUse.heap
    return try await withThrowingTaskGroup(of: Bool.self) { group in
      for _ in 0..<count {
        group.addTask {
          await waiting.wait()
          return true
        }
      }
      try await settle()
      let grown = ProcessUse.heap - before
      waiting.resume()
      try await group.waitForAll()
      return Double(grown) / Double(count) / 1024
    }
  }

  /// Until the memory stands still: all have been taken in.
  private func settle() async throws {
    var size = -1
    while ProcessUse.resident > size {
      size = ProcessUse.resident
      try await Task.sleep(for: .milliseconds(300))
    }
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
    guard isBound else { throw BenchError("no port") }
    port = Int(UInt16(bigEndian: address.sin_port))
  }

  deinit { close(listener) }
}

/// The memory of this process, in bytes, and its time.
enum ProcessUse {
  /// The seconds of CPU all of its threads have used.
  static var cpuSeconds: Double { Double(clock()) / Double(CLOCKS_PER_SEC) }

  /// What is taken from the heap now, in all arenas.
  static var heap: Int { bare_heap_in_use() }

  /// What it holds now.
  static var resident: Int { value("VmRSS:") }

  /// The most it held since the last ``resetPeak()``.
  static var peak: Int { value("VmHWM:") }

  /// Counts the peak from now on.
  static func resetPeak() {
    try? "5".write(toFile: "/proc/self/clear_refs", atomically: false, encoding: .utf8)
  }

  private static func value(_ name: String) -> Int {
    guard let text = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return 0 }
    for line in text.split(separator: "\n") where line.hasPrefix(name) {
      return line.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) }.map { $0 * 1024 } ?? 0
    }
    return 0
  }
}
