import APIKit
import CMachine
import Foundation

let socketGroup = BenchGroup(name: "socket", summary: "connections that stay open") { measurement in
  try await messages(measurement)
  try await deflated(measurement)
  try await events(measurement)
  try await streams(measurement)
  try await idleSockets(measurement)
  try await besideIdleSockets(measurement)
  try await openedAndReleased(measurement)
}

/// Messages that picows sends back, delivered on the main actor, against a client in C; the server on a core of its own.
private func messages(_ measurement: Measurement) async throws {
  struct Case {
    var name: String
    var kind: SocketEcho.Kind
    var size: Int
    var inFlight: Int
    var count: Int
    var bar: Double
  }
  let cases = [
    Case(
      name: "32 B, one at a time, against C", kind: .data, size: 32, inFlight: 1, count: 20_000, bar: 0.8),
    Case(
      name: "32 B, 64 in flight, against C", kind: .data, size: 32, inFlight: 64, count: 200_000, bar: 0.65),
    Case(name: "1 MB of bytes, against C", kind: .data, size: 1 << 20, inFlight: 1, count: 600, bar: 0.6),
  ]
  let text = "1 MB of text, against 1 MB of bytes"
  guard measurement.wants(cases.map(\.name) + [text]) else { return }
  let (core, other) = try cores()
  let server = try SocketServer("echo")
  defer { server.stop() }
  try server.pin(toCore: other)
  func run(_ job: String, _ one: Case) throws -> Double {
    let words = [
      String(core), String(server.port), one.kind.rawValue, String(one.size), String(one.inFlight),
    ]
    let result: PinnedTime = try ChildProcess.run(job, words + [String(one.count)])
    return result.seconds
  }
  for one in cases {
    try await measurement.race(one.name, bar: .atLeast(one.bar), note: "picows") {
      try run("socket-echo", one)
    } theirs: {
      try run("bare-socket-echo", one)
    }
  }
  var (asText, asBytes) = (cases[2], cases[2])
  (asText.kind, asBytes.kind) = (.text, .data)
  try await measurement.race(text, bar: .atLeast(0.5)) {
    try run("socket-echo", asText)
  } theirs: {
    try run("socket-echo", asBytes)
  }
}

/// 5 KB of JSON, packed both ways, against a client in Python; the server is Python's.
private func deflated(_ measurement: Measurement) async throws {
  let name = "5 KB of JSON, deflated, against Python's websockets"
  guard measurement.wants(name) else { return }
  let (core, other) = try cores()
  let server = try SocketServer("deflate-echo")
  defer { server.stop() }
  try server.pin(toCore: other)
  let count = 3000
  let file = FileManager.default.temporaryDirectory.appendingPathComponent("apikit-bench-\(UUID()).json")
  try Data(try RawFixtures.page()).write(to: file)
  defer { try? FileManager.default.removeItem(at: file) }
  try await measurement.race(name, bar: .atLeast(1), note: "a server of Python's") {
    let result: PinnedTime = try ChildProcess.run(
      "socket-deflate", [String(core), String(server.port), file.path, String(count)])
    return result.seconds
  } theirs: {
    try SocketServer.run(["deflate-client", String(server.port), String(count), file.path], onCore: core)
      / Double(count)
  }
}

/// The lowest core and the next.
func cores() throws -> (Int32, Int32) {
  let core = machine_core_above(-1)
  let other = machine_core_above(core)
  guard core >= 0, other >= 0 else { throw BenchFailure("two cores are needed") }
  return (core, other)
}

/// `Benchmarks/socket_server.py` as a child process.
final class SocketServer {
  let port: Int
  private let process = Process()

  init(_ job: String) throws {
    port = try Self.freePort()
    try Self.prepare(process, [job, String(port)])
    try process.run()
    for _ in 0..<500 {
      if Self.accepts(port) { return }
      guard process.isRunning else { break }
      usleep(10_000)  // Until the server, another process, listens.
    }
    throw BenchFailure("the server \(job) did not start; Scripts/bench installs picows and websockets")
  }

  func stop() {
    // The signals that a thread of ours blocks, its children block as well.
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  func pin(toCore core: Int32) throws {
    guard machine_pin(process.processIdentifier, core) == 0 else {
      throw BenchFailure("the server cannot be pinned to core \(core)")
    }
  }

  /// Runs the script to its end and gives the number that it prints.
  static func run(_ words: [String], onCore core: Int32) throws -> Double {
    let (process, output) = (Process(), Pipe())
    try prepare(process, words)
    process.standardOutput = output
    try process.run()
    _ = machine_pin(process.processIdentifier, core)
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard let number = Double(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
      throw BenchFailure("socket_server.py \(words[0]) gave no number")
    }
    return number
  }

  private static func prepare(_ process: Process, _ words: [String]) throws {
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3", "Benchmarks/socket_server.py"] + words
    let library = FileManager.default.currentDirectoryPath + "/.build-bench/python"
    process.environment = ProcessInfo.processInfo.environment.merging(["PYTHONPATH": library]) { $1 }
  }

  private static func freePort() throws -> Int {
    let (descriptor, address) = try bound(port: 0)
    defer { close(descriptor) }
    return Int(UInt16(bigEndian: address.sin_port))
  }

  private static func bound(port: UInt16) throws -> (Int32, sockaddr_in) {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = loopback(port)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
      }
    }
    guard isBound else { throw BenchFailure("no port is free") }
    return (descriptor, address)
  }

  private static func loopback(_ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
  }

  private static func accepts(_ port: Int) -> Bool {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = loopback(UInt16(port))
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
  }
}
