import APIKit
import BareCurl
import Foundation
import TestServers

/// `CurlTransport` against libcurl called from C in the same process, URLSession and the curl command.
let curlGroup = BenchGroup(
  name: "curl", summary: "the libcurl transport against bare libcurl, URLSession and the curl command"
) { measurement in
  let bench = try CurlBench(rounds: measurement.rounds)
  // Memory first: what the other rows leave behind would be used again and not be seen.
  try await bench.files(measurement)
  try await bench.memory(measurement)
  try await bench.throughput(measurement)
  try await bench.tls(measurement)
}

/// The server and the transports of the group.
struct CurlBench {
  let nginx: NginxServer
  let transport: CurlTransport
  /// Trusts the server's root.
  let trusting: CurlTransport
  let url: HTTPURL
  let rounds: Int

  static let size = 4809

  init(rounds: Int) throws {
    self.rounds = rounds
    nginx = try NginxServer(
      locations: """
        location /plain/ { alias files/; gzip off; }
        location /once/ { alias files/; gzip off; keepalive_timeout 0; }
        location /big/ { alias files/; gzip off; dav_methods PUT DELETE; client_max_body_size 0; }
        """)
    let rows = (1...20).map { #"{"id":\#($0),"name":"\#(String(repeating: "home ", count: 43))"}"# }
    var text = #"{"items":[\#(rows.joined(separator: ","))]}"#
    text += String(repeating: " ", count: max(0, Self.size - text.utf8.count))
    try text.write(
      to: nginx.files.appendingPathComponent("bench.json"), atomically: false, encoding: .utf8)
    url = try HTTPURL(nginx.url("/plain/bench.json"))
    transport = try CurlTransport(.ephemeral)
    var configuration = TransportConfiguration.ephemeral
    configuration.tls.trust = .bundle(path: nginx.certificates.root.path)
    trusting = try CurlTransport(configuration)
  }

  // MARK: Requests per second

  func throughput(_ measurement: Measurement) async throws {
    let bare = { (count: Int, width: Int) in
      guard bare_curl_get(url.string, count, Int32(width)) == count * Self.size else {
        throw BenchError("the bare loop")
      }
    }
    let ours = { (count: Int, width: Int) async throws in try await fetch(count, width, transport, url) }
    try await ratio(
      measurement, "GET of 4.8 KB, 64 in flight, against bare libcurl", 0.7, (5_000, 5_000),
      { try await ours($0, 64) }, { try bare($0, 64) })
    try await ratio(
      measurement, "the same, one at a time", 0.6, (1_000, 1_000), { try await ours($0, 1) },
      { try bare($0, 1) })
    let foundation = try URLSessionTransport(.ephemeral)
    try await ratio(
      measurement, "the same, 64 in flight, against URLSession", 10, (5_000, 500), { try await ours($0, 64) },
      { try await fetch($0, 64, foundation, url) })
    try await ratio(
      measurement, "the same, 5,000 outstanding, against 64", 0.7, (15_000, 5_000),
      { try await ours($0, 5_000) }, { try await ours($0, 64) })
  }

  func tls(_ measurement: Measurement) async throws {
    let once = try HTTPURL(nginx.url("/once/bench.json", site: .tls(.good), host: "localhost"))
    var times: [Int64] = []
    for _ in 0..<200 {
      let metrics = try await trusting.send(HTTPRequest(url: once)).metrics
      guard !metrics.isReused else { throw BenchError("a connection was used again") }
      times.append(metrics.tls - metrics.queued)
    }
    measurement.record(
      "HTTPS: new connection, sessions shared (median)", Double(times.sorted()[100]) / 1000, "ms",
      bar: .atMost(2))
    let multiplexed = try HTTPURL(nginx.url("/plain/bench.json", site: .http2, host: "localhost"))
    try await ratio(
      measurement, "HTTP/2, 64 in flight on one connection, against HTTP/1.1 plain", 0.6, (4_000, 4_000),
      { try await fetch($0, 64, trusting, multiplexed) }, { try await fetch($0, 64, transport, url) })
  }

  /// Requests per second of two sides in turn, the best of the rounds each.
  private func ratio(
    _ measurement: Measurement, _ name: String, _ bar: Double, _ counts: (Int, Int),
    _ ours: (Int) async throws -> Void, _ theirs: (Int) async throws -> Void
  ) async throws {
    var best = (0.0, 0.0)
    var cpu = (Double.infinity, Double.infinity)
    for _ in 0..<rounds {
      var start = ProcessUse.cpuSeconds
      best.0 = max(best.0, Double(counts.0) / (try await seconds { try await ours(counts.0) }))
      cpu.0 = min(cpu.0, (ProcessUse.cpuSeconds - start) / Double(counts.0))
      start = ProcessUse.cpuSeconds
      best.1 = max(best.1, Double(counts.1) / (try await seconds { try await theirs(counts.1) }))
      cpu.1 = min(cpu.1, (ProcessUse.cpuSeconds - start) / Double(counts.1))
    }
    measurement.record(
      name, best.0 / best.1, "x", bar: .atLeast(bar),
      note: String(
        format: "%.0f against %.0f requests/s, %.1f against %.1f µs of CPU", best.0, best.1, cpu.0 * 1e6,
        cpu.1 * 1e6))
  }

  /// `count` requests by `width` tasks, each of which sends the next when its last has landed.
  private func fetch(
    _ count: Int, _ width: Int, _ transport: any HTTPTransport, _ url: HTTPURL
  ) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<width {
        let share = count / width + (index < count % width ? 1 : 0)
        group.addTask {
          let request = HTTPRequest(url: url, headers: ["Accept": "application/json"])
          for _ in 0..<share {
            let response = try await transport.send(request)
            guard response.bytes.count == Self.size else { throw BenchError("\(response.bytes.count) bytes") }
          }
        }
      }
      try await group.waitForAll()
    }
  }

  func seconds(_ work: () async throws -> Void) async rethrows -> Double {
    let clock = ContinuousClock()
    let start = clock.now
    try await work()
    return Measurement.seconds(clock.now - start)
  }
}

struct BenchError: Error {
  let text: String
  init(_ text: String) { self.text = text }
}
