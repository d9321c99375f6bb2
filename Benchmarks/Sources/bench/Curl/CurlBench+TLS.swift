import APIKit
import BareCurl
import Foundation
import TestServers

/// TLS 1.3 and HTTP/2, as servers on the internet have them. URLSession has no row: on Linux it trusts the system's authorities
/// alone, and the server here has one of its own.
extension CurlBench {
  static func tls(_ measurement: Measurement) async throws {
    try await newConnections(measurement)
    for (name, site) in [
      ("TLS 1.3, kept connections, 64 in flight", NginxServer.Site.tls(.good)),
      ("HTTP/2, 64 in flight on one connection", .http2),
    ] {
      try await compare(
        measurement, "\(name), against bare libcurl", 0.5, (4_000, 4_000),
        { try await $0.fetch($1, 64, $0.trusting, $0.url(site)) }, { try $0.bareFetch($1, 64, site) },
        note: WireJobs.bareCurlNote)
    }
    try await compare(
      measurement, "HTTP/2, 64 in flight on one connection, against HTTP/1.1 plain", 0.6, (4_000, 4_000),
      { try await $0.fetch($1, 64, $0.trusting, $0.url(.http2)) }, { try await $0.fetch($1, 64) })
  }

  /// New connections, one after the other: how long each takes, and how many resume a session of TLS, as the server counts.
  private static func newConnections(_ measurement: Measurement) async throws {
    let (time, resumed) = (
      "HTTPS: new connection, sessions shared (median)",
      "HTTPS: new connections that resume, by the server's count"
    )
    guard measurement.wants(time, resumed) else { return }
    let bench = try shared.get()
    let once = try HTTPURL(bench.nginx.url("/once/bench.json", site: .tls(.good), host: "localhost"))
    var times: [Int64] = []
    var count = 0
    for _ in 0..<200 {
      let response = try await bench.trusting.send(HTTPRequest(url: once))
      guard !response.metrics.isReused else { throw BenchFailure("a connection was used again") }
      times.append(response.metrics.tls - response.metrics.queued)
      if response.headers["X-Resumed"] == "r" { count += 1 }
    }
    measurement.record(time, Double(times.sorted()[100]) / 1000, "ms", bar: .atMost(2))
    measurement.record(resumed, Double(count) / 2, "%", bar: .atLeast(90), note: "200 connections")
  }

  private func url(_ site: NginxServer.Site) throws -> HTTPURL {
    try HTTPURL(nginx.url("/plain/bench.json", site: site, host: "localhost"))
  }

  /// The same by libcurl called from C.
  private func bareFetch(_ count: Int, _ width: Int, _ site: NginxServer.Site) throws {
    let url = try url(site)
    guard
      bare_curl_get_tls(url.string, nginx.certificates.root.path, count, Int32(width)) == count * Self.size
    else { throw BenchFailure("bare libcurl did not get every byte") }
  }
}
