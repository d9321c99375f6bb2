import APIKitTesting

#if os(Linux)
  import Foundation
  @testable import TestSupport
  import XCTest

  @testable import APIKit

  /// The monitor in a network that really changes: one of its own (network_namespaces(7)), in which this test
  /// program is run again with ``NetworkChildTests`` alone. It ends with that process, and the machine's own
  /// network is never touched.
  final class NetworkChangeTests: XCTestCase {
    func testTheMonitorHearsOfInterfacesAndRoutesThatComeAndGo() throws {
      let (isolate, kind) = try XCTUnwrap(namespace())
      let (status, output) = try Self.run(
        // Foundation's `Process` talks to itself over loopback, which is down in a new network.
        ["timeout", "60"] + isolate + ["sh", "-c", "ip link set lo up && exec \"$@\"", "sh"] + [
          URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path,
          "\(String(reflecting: NetworkChildTests.self))/testBeTheProcessInItsOwnNetwork",
        ], environment: [NetworkChildTests.variable: kind])
      XCTAssertEqual(status, 0, output)
      XCTAssertTrue(output.contains("Executed 1 test, with 0 failures"), output)
    }

    /// The command before another that gives it a network of its own, and a kind of interface that this kernel
    /// makes there.
    private func namespace() throws -> (command: [String], kind: String) {
      // Without the rights of root, a user namespace around it gives them, where the system allows that.
      let command = ["unshare"] + (geteuid() == 0 ? ["-n"] : ["-r", "-n"])
      var complaints: [String] = []
      for kind in ["dummy", "ifb", "veth"] {
        let (status, output) = try Self.run(command + ["ip", "link", "add", "wlan0", "type", kind])
        if status == 0 { return (command, kind) }
        complaints.append("\(kind): \(output.trimmingCharacters(in: .whitespacesAndNewlines))")
      }
      throw XCTSkip("no network of its own can be made here; \(complaints.joined(separator: "; "))")
    }

    /// Runs a command to its end; its status, and what it said on both streams.
    static func run(_ command: [String], environment: [String: String] = [:]) throws -> (Int32, String) {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      process.arguments = command
      var all = ProcessInfo.processInfo.environment.merging(environment) { $1 }
      all["PATH", default: "/usr/bin:/bin"] += ":/usr/sbin:/sbin"
      process.environment = all
      let output = Pipe()
      (process.standardOutput, process.standardError) = (output, output)
      try process.run()
      let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      return (process.terminationStatus, text)
    }
  }

  /// Not a test of its own: what the process of ``NetworkChangeTests`` does in its own network.
  @MainActor final class NetworkChildTests: XCTestCase {
    nonisolated static let variable = "APIKIT_NETWORK_CHILD"
    private let monitor = NetworkMonitor()
    private var kind = ""

    private func ip(_ arguments: String, line: UInt = #line) throws {
      let words = arguments.split(separator: " ").map(String.init)
      let (status, output) = try NetworkChangeTests.run(["ip"] + words)
      XCTAssertEqual(status, 0, "ip \(arguments): \(output)", line: line)
    }

    /// Brings up an interface with a way out.
    private func open(_ name: String, _ network: String, metric: Int) throws {
      try ip("link add \(name) type \(kind)")
      try ip("link set \(name) up")
      try ip("addr add \(network).2/24 dev \(name)")
      try ip("route add default via \(network).1 dev \(name) metric \(metric)")
    }

    /// Waits for a condition that only an event can bring: what the monitor knows is not read again.
    private func wait(for condition: NetworkCondition, line: UInt = #line) async {
      await waitUntil(line: line) { self.monitor.condition == condition }
    }

    func testBeTheProcessInItsOwnNetwork() async throws {
      guard let kind = ProcessInfo.processInfo.environment[Self.variable] else {
        throw XCTSkip("runs as the child of NetworkChangeTests")
      }
      self.kind = kind
      let posted = Posted()
      let token = NotificationCenter.default.addObserver(
        forName: NetworkMonitor.didChange, object: monitor, queue: .main
      ) { posted.note($0) }
      defer { NotificationCenter.default.removeObserver(token) }
      XCTAssertEqual(monitor.condition, .offline, "a new network has no way out")
      var told = monitor.changes().makeAsyncIterator()
      let present = await told.next()
      XCTAssertEqual(present, .offline)

      // A load that waits for connectivity takes off when a network comes up.
      let stub = StubTransport(.json(someJSON))
      let manager = TestManager(stub)
      manager.service.network = monitor
      manager.networkGate = .wait(upTo: .seconds(60))
      let recorder = Recorder()
      manager.delegate = recorder
      let flight = try XCTUnwrap(manager.load().flightID)
      await waitUntil { manager.state(of: flight) == .suspended }
      try open("wlan0", "192.0.2", metric: 600)
      await wait(for: .wifi)
      await recorder.waitForLandings()
      XCTAssertEqual(recorder.responses.count, 1)
      let change = await told.next()
      XCTAssertEqual(change, .wifi)

      // A better way takes its place, and is lost again.
      try open("wwan0", "198.51.100", metric: 100)
      await wait(for: .cellular)
      manager.networkGate = .refuse.unmetered
      let metered = await failure { try await manager.response(["n": 2]) }
      XCTAssertEqual(metered?.reason, .noNetwork)
      try ip("link set wwan0 down")
      await wait(for: .wifi)

      // Connectivity is lost, and a load is refused before anything is sent.
      try ip("link delete wlan0")
      await wait(for: .offline)
      manager.networkGate = .refuse
      let refused = await failure { try await manager.response(["n": 3]) }
      XCTAssertEqual(refused?.reason, .noNetwork)
      XCTAssertEqual(stub.requests.count, 1)
      await waitUntil { posted.conditions.last == .offline }
      XCTAssertEqual(posted.conditions, [.offline, .wifi, .cellular, .wifi, .offline])
    }
  }

  /// The conditions that were posted.
  private final class Posted: Sendable {
    private let noted = Mutex<[NetworkCondition]>([])
    var conditions: [NetworkCondition] { noted.withLock { $0 } }

    func note(_ note: Notification) {
      if let condition = note.userInfo?[NetworkMonitor.conditionKey] as? NetworkCondition {
        noted.withLock { $0.append(condition) }
      }
    }
  }
#endif
