import APIKit
import Foundation

extension CurlBench {
  /// What a flight costs while it is outstanding: a server that accepts and never answers holds them all.
  func memory(_ measurement: Measurement) async throws {
    for (count, limit) in [(5_000, 12.0), (50_000, 2.0)] {
      let listener = try SilentListener()
      var configuration = TransportConfiguration.ephemeral
      configuration.timeouts = HTTPTimeouts(connect: .zero, idle: .zero, total: .zero)
      let transport = try CurlTransport(configuration)
      let url = try HTTPURL("http://127.0.0.1:\(listener.port)/")
      let before = ProcessUse.resident
      let landed = try await withThrowingTaskGroup(of: Bool.self) { group in
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
        // Until the memory stands still: all have been taken in.
        var size = ProcessUse.resident
        while true {
          try await Task.sleep(for: .milliseconds(300))
          defer { size = ProcessUse.resident }
          if ProcessUse.resident <= size { break }
        }
        measurement.record(
          "memory per flight, \(count) outstanding",
          Double(ProcessUse.resident - before) / Double(count) / 1024,
          "KiB", bar: .atMost(limit), note: "tasks included")
        await transport.shutdown()
        return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
      }
      guard landed == count else { throw BenchError("\(landed) of \(count) flights landed") }
    }
  }
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
