import APIKit
import BareCurl
import Foundation
import TestServers

/// `CurlTransport` against libcurl called from C in the same process, URLSession and the curl command.
let curlGroup = BenchGroup(
  name: "curl", summary: "the libcurl transport against bare libcurl, URLSession and the curl command"
) { measurement in
  try await CurlBench.files(measurement)
  try flightMemory(measurement)
  try await CurlBench.throughput(measurement)
  try await CurlBench.tls(measurement)
}

/// The server and the transports of the group.
struct CurlBench: Sendable {
  /// Started by the first row that wants it.
  static let shared = Result { try CurlBench() }

  let nginx: NginxServer
  let transport: CurlTransport
  /// Trusts the server's root.
  let trusting: CurlTransport
  let url: HTTPURL

  static let size = 4809

  private init() throws {
    nginx = try NginxServer(
      locations: """
        location /plain/ { alias files/; gzip off; }
        location /once/ { alias files/; gzip off; keepalive_timeout 0; add_header X-Resumed $ssl_session_reused; }
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

  static func throughput(_ measurement: Measurement) async throws {
    try await compare(
      measurement, "GET of 4.8 KB, 64 in flight, against bare libcurl", 0.7, (5_000, 5_000),
      { try await $0.fetch($1, 64) }, { try $0.bareFetch($1, 64) }, note: WireJobs.bareCurlNote)
    try await compare(
      measurement, "the same, one at a time", 0.6, (1_000, 1_000),
      { try await $0.fetch($1, 1) }, { try $0.bareFetch($1, 1) }, note: WireJobs.bareCurlNote)
    let foundation = try URLSessionTransport(.ephemeral)
    try await compare(
      measurement, "the same, 64 in flight, against URLSession", 10, (5_000, 500),
      { try await $0.fetch($1, 64) }, { try await $0.fetch($1, 64, foundation) })
    try await compare(
      measurement, "the same, 5,000 outstanding, against 64", 0.7, (15_000, 5_000),
      { try await $0.fetch($1, 5_000) }, { try await $0.fetch($1, 64) })
  }

  /// Requests per second of two sides in turn, the best of the rounds each.
  static func compare(
    _ measurement: Measurement, _ name: String, _ bar: Double, _ counts: (Int, Int),
    _ ours: (CurlBench, Int) async throws -> Void, _ theirs: (CurlBench, Int) async throws -> Void,
    note: String = ""
  ) async throws {
    guard measurement.wants(name) else { return }
    let bench = try shared.get()
    var best = (Double.infinity, Double.infinity)
    var cpu = (Double.infinity, Double.infinity)
    for _ in 0..<measurement.rounds {
      var start = ProcessUse.cpuSeconds
      best.0 = min(
        best.0, try await Measurement.seconds(of: { try await ours(bench, counts.0) }) / Double(counts.0))
      cpu.0 = min(cpu.0, (ProcessUse.cpuSeconds - start) / Double(counts.0))
      start = ProcessUse.cpuSeconds
      best.1 = min(
        best.1, try await Measurement.seconds(of: { try await theirs(bench, counts.1) }) / Double(counts.1))
      cpu.1 = min(cpu.1, (ProcessUse.cpuSeconds - start) / Double(counts.1))
    }
    let rates = String(
      format: "%.0f against %.0f requests/s, %.1f against %.1f µs of CPU", 1 / best.0, 1 / best.1,
      cpu.0 * 1e6,
      cpu.1 * 1e6)
    measurement.record(
      name, best.1 / best.0, "x", bar: .atLeast(bar), note: note.isEmpty ? rates : "\(rates); \(note)")
  }

  /// `count` requests by `width` tasks, each of which sends the next when its last has landed.
  func fetch(
    _ count: Int, _ width: Int, _ other: (any HTTPTransport)? = nil, _ otherURL: HTTPURL? = nil
  ) async throws {
    let (transport, url) = (other ?? transport, otherURL ?? url)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<width {
        let share = count / width + (index < count % width ? 1 : 0)
        group.addTask {
          let request = HTTPRequest(url: url, headers: ["Accept": "application/json"])
          for _ in 0..<share {
            let response = try await transport.send(request)
            guard response.bytes.count == Self.size else {
              throw BenchFailure("\(response.bytes.count) bytes")
            }
          }
        }
      }
      try await group.waitForAll()
    }
  }

  /// The same by libcurl called from C.
  private func bareFetch(_ count: Int, _ width: Int) throws {
    guard bare_curl_get(url.string, count, Int32(width)) == count * Self.size else {
      throw BenchFailure("bare libcurl did not get every byte")
    }
  }
}
