import APIKit
import BareCurl
import Foundation
import TestServers

/// `CurlTransport` against libcurl called from C in the same process, and against URLSession.
let curlGroup = BenchGroup(
  name: "curl", summary: "the libcurl transport against bare libcurl, URLSession and the curl command"
) { measurement in
  let bench = try CurlBench()
  try await bench.throughput(measurement)
}

/// The server and the transports of the group.
struct CurlBench {
  let nginx: NginxServer
  let transport: CurlTransport
  let url: HTTPURL

  init() throws {
    nginx = try NginxServer(locations: "location /plain/ { alias files/; gzip off; }")
    let rows = (1...20).map { #"{"id":\#($0),"name":"\#(String(repeating: "home ", count: 43))"}"# }
    var text = #"{"items":[\#(rows.joined(separator: ","))]}"#
    text += String(repeating: " ", count: max(0, 4809 - text.utf8.count))
    try text.write(
      to: nginx.files.appendingPathComponent("bench.json"), atomically: false, encoding: .utf8)
    url = try HTTPURL(nginx.url("/plain/bench.json"))
    transport = try CurlTransport()
  }

  func throughput(_ measurement: Measurement) async throws {
    let ours = { (count: Int, width: Int) in try await fetch(count, width: width, over: transport) }
    try await rate(
      measurement, "4.8 KB GET, 64 in flight, against bare libcurl", .atLeast(0.7), 20_000, 64, ours)
    try await rate(
      measurement, "4.8 KB GET, one at a time, against bare libcurl", .atLeast(0.6), 4_000, 1, ours)
  }

  private func rate(
    _ measurement: Measurement, _ name: String, _ bar: Measurement.Bar, _ count: Int, _ width: Int,
    _ ours: (Int, Int) async throws -> Void
  ) async throws {
    var best = (0.0, 0.0)
    for _ in 0..<measurement.rounds {
      best.0 = max(best.0, Double(count) / (try await seconds { try await ours(count, width) }))
      let bare = try await seconds {
        guard bare_curl_get(url.string, count, Int32(width)) == count * 4809 else { throw BenchError("bare") }
      }
      best.1 = max(best.1, Double(count) / bare)
    }
    measurement.record(
      name, best.0 / best.1, "x", bar: bar,
      note: String(format: "%.0f against %.0f requests/s", best.0, best.1))
  }

  /// `count` requests by `width` tasks that each send the next when theirs has landed.
  func fetch(_ count: Int, width: Int, over transport: any HTTPTransport) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<width {
        let share = count / width + (index < count % width ? 1 : 0)
        group.addTask { [url] in
          let request = HTTPRequest(url: url, headers: ["Accept": "application/json"])
          for _ in 0..<share {
            let response = try await transport.send(request)
            guard response.bytes.count == 4809 else { throw BenchError("\(response.bytes.count) bytes") }
          }
        }
      }
      try await group.waitForAll()
    }
  }

  private func seconds(_ work: () async throws -> Void) async rethrows -> Double {
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
