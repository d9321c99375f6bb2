#if os(Linux)
  import APIKitTesting
  import Foundation
  @testable import TestSupport
  import XCTest

  @testable import APIKit

  /// A pool in a network with slow ways: one of its own (network_namespaces(7)), in which this test program is run again
  /// with ``HostNetworkChildTests`` alone. It ends with that process, and the machine's own network is never touched.
  final class HostNetworkTests: XCTestCase {
    func testMostLoadsGoToTheFastestOfThree() throws {
      let isolate = ["unshare"] + (geteuid() == 0 ? ["-n"] : ["-r", "-n"])
      let (status, complaint) = try NetworkChangeTests.run(
        isolate + ["sh", "-c", "ip link set lo up && tc qdisc add dev lo root handle 1: htb default 10"])
      guard status == 0 else {
        throw XCTSkip("no network of its own with slow ways can be made here: \(complaint)")
      }
      let (result, output) = try NetworkChangeTests.run(
        ["timeout", "60"] + isolate + ["sh", "-c", Self.slowWays + " && exec \"$@\"", "sh"] + [
          URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path,
          "\(String(reflecting: HostNetworkChildTests.self))/testBeTheProcessInASlowNetwork",
        ], environment: [HostNetworkChildTests.variable: "1"])
      XCTAssertEqual(result, 0, output)
      if output.contains("calibration:") { throw XCTSkip(output) }
      XCTAssertTrue(output.contains("Executed 1 test, with 0 failures"), output)
    }

    /// What goes to and from 127.0.0.2 goes at 16 kbit/s, and to and from 127.0.0.3 at 4 kbit/s: the reply to a SYN waits
    /// until what the SYN has taken is there again.
    private static let slowWays = """
      ip link set lo up && tc qdisc add dev lo root handle 1: htb default 10 \
      && tc class add dev lo parent 1: classid 1:10 htb rate 1gbit \
      && tc class add dev lo parent 1: classid 1:20 htb rate 16kbit burst 60 cburst 60 \
      && tc class add dev lo parent 1: classid 1:30 htb rate 4kbit burst 60 cburst 60 \
      && for end in src dst; do \
      tc filter add dev lo parent 1: protocol ip u32 match ip $end 127.0.0.2/32 flowid 1:20 \
      && tc filter add dev lo parent 1: protocol ip u32 match ip $end 127.0.0.3/32 flowid 1:30; done
      """
  }

  /// Not a test of its own: what the process of ``HostNetworkTests`` does in its own network.
  @MainActor final class HostNetworkChildTests: XCTestCase {
    nonisolated static let variable = "APIKIT_SLOW_NETWORK_CHILD"

    func testBeTheProcessInASlowNetwork() async throws {
      guard ProcessInfo.processInfo.environment[Self.variable] != nil else {
        throw XCTSkip("runs as the child of HostNetworkTests")
      }
      // The slowest first, as a list may have it.
      let servers = try ["127.0.0.3", "127.0.0.2", "127.0.0.1"].map { host in
        try ScriptedServer(
          scripts: [
            [.serve { _ in ScriptedServer.response(200, ["Content-Type": "application/json"], text: "{}") }]
          ],
          at: host)
      }
      defer { for server in servers { server.stop() } }
      let addresses = try zip(["127.0.0.3", "127.0.0.2", "127.0.0.1"], servers).map { host, server in
        try HostAddress("\(host):\(server.port)")
      }
      let transport = try CurlTransport(.ephemeral)
      var times: [Duration] = []
      for address in addresses {
        var request = HTTPRequest(url: "http://named.test/")
        request.options.connectTo = address.description
        var slowest = Duration.zero
        for _ in 0..<3 {
          slowest = max(
            slowest, try await transport.connect(for: HTTPExchange(request), keeping: false) ?? .zero)
        }
        times.append(slowest)
      }
      print("measured:", times)
      guard times[2] < .milliseconds(20), times[1] > times[2] + .milliseconds(15),
        times[0] > times[1] + .milliseconds(50)
      else { return print("calibration: this kernel does not delay as asked: \(times)") }
      let pool = HostPool.still(addresses, measuringInterval: .seconds(60))
      let manager = TestManager(StubTransport())
      manager.service.client = HTTPClient(transport: transport)
      manager.service.environments = ServiceEnvironments("http://named.test/api")
      manager.service.hosts = pool
      for _ in 0..<200 {
        _ = try await manager.response()
        try await Task.sleep(for: .milliseconds(5))
      }
      let counts = servers.map(\.requests.count)
      print("requests:", counts, "known:", pool.status.map(\.connectTime))
      XCTAssertEqual(counts.reduce(0, +), 200)
      XCTAssertGreaterThanOrEqual(counts[2], 180)
    }
  }
#endif
