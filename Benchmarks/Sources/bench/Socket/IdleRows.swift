import APIKit
import APIKitSockets
import Foundation

/// What idle sockets take of the heap.
struct SocketMemory: Codable {
  let bytesEach: Double
}

/// What is left of sockets that were opened and released.
struct SocketRemains: Codable {
  let heap: Int
  let descriptors: Int
}

/// The heap of an idle socket, and of one that has packed and unpacked.
func idleSockets(_ measurement: Measurement) async throws {
  let names = (idle: "heap of an idle socket", packed: "heap that packing adds to a socket")
  guard measurement.wants(names.idle, names.packed) else { return }
  let plain = try SocketServer("echo")
  defer { plain.stop() }
  let idle: SocketMemory = try ChildProcess.run("idle-sockets", [String(plain.port), "1000", "plain"])
  measurement.record(names.idle, idle.bytesEach / 1024, "KiB", bar: .atMost(24))
  guard measurement.wants(names.packed) else { return }
  let packing = try SocketServer("deflate-echo")
  defer { packing.stop() }
  let packed: SocketMemory = try ChildProcess.run("idle-sockets", [String(packing.port), "500", "packed"])
  measurement.record(names.packed, (packed.bytesEach - idle.bytesEach) / 1024, "KiB", bar: .atMost(50))
}

/// Loads beside many idle sockets of the same transport, against loads without them.
func besideIdleSockets(_ measurement: Measurement) async throws {
  let name = "loads beside 5,000 idle sockets, against loads alone"
  guard measurement.wants(name) else { return }
  let server = try SocketServer("echo")
  defer { server.stop() }
  let wire = try WireServer.shared.get()
  func run(_ count: Int) throws -> Double {
    let time: PinnedTime = try ChildProcess.run(
      "loads-beside-sockets", [String(server.port), String(count), wire.baseURL])
    return time.seconds
  }
  try await measurement.race(name, bar: .atLeast(0.95), ours: { try run(5000) }, theirs: { try run(0) })
}

/// Ten thousand sockets, one after the other: what stays.
func openedAndReleased(_ measurement: Measurement) async throws {
  let names = (
    heap: "heap that 10,000 opened and released sockets leave", descriptors: "descriptors that they leave"
  )
  guard measurement.wants(names.heap, names.descriptors) else { return }
  let server = try SocketServer("echo")
  defer { server.stop() }
  let remains: SocketRemains = try ChildProcess.run("released-sockets", [String(server.port), "10000"])
  measurement.record(names.heap, Double(remains.heap) / 1024, "KiB", bar: .atMost(256))
  measurement.record(names.descriptors, Double(remains.descriptors), "", bar: .atMost(0))
}

// MARK: Children

@MainActor private func open(_ count: Int, _ service: SocketBackend) async throws -> [BenchSocket] {
  var sockets: [BenchSocket] = []
  while sockets.count < count {
    // Fewer at once than a server's queue of connections has room for.
    let some = (0..<min(50, count - sockets.count)).map { _ in BenchSocket(service) }
    let openings = some.map { socket in Task { try await socket.opened() } }
    for opening in openings { _ = try await opening.value }
    sockets += some
  }
  return sockets
}

/// Idle sockets on one transport; the arguments are port, number, and whether they have packed.
func idleSocketsJob(_ arguments: [String]) async throws -> SocketMemory {
  guard arguments.count == 3, let port = Int(arguments[0]), let count = Int(arguments[1]) else {
    throw BenchFailure("port, number and kind are needed")
  }
  let service = try SocketBackend(port: port, transport: try CurlTransport())
  let isPacked = arguments[2] == "packed"
  let text = String(repeating: #"{"home":"ames-17","price":215000},"#, count: 60)
  @Sendable @MainActor func use(_ sockets: [BenchSocket]) async {
    for socket in sockets where isPacked {
      var messages = socket.messages().makeAsyncIterator()
      try? socket.send(text)
      _ = try? await messages.next()
    }
  }
  // What the first ones bring about is not theirs.
  let first = try await open(50, service)
  await use(first)
  ProcessUse.trimHeap()
  let before = ProcessUse.heap
  let sockets = try await open(count, service)
  await use(sockets)
  let bytes = Double(ProcessUse.heap - before) / Double(count)
  keep((first, sockets))
  return SocketMemory(bytesEach: bytes)
}

/// Loads while so many sockets are open; the arguments are the sockets' port, their number and the server of the loads.
func loadsBesideSockets(_ arguments: [String]) async throws -> PinnedTime {
  guard arguments.count == 3, let port = Int(arguments[0]), let count = Int(arguments[1]) else {
    throw BenchFailure("port, number and a server are needed")
  }
  var limit = rlimit()
  getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  limit.rlim_cur = limit.rlim_max
  setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  let transport = try CurlTransport()
  let sockets = try await open(count, try SocketBackend(port: port, transport: transport))
  let service = BenchService(baseURL: try HTTPURL(arguments[2]), transport: transport)
  let use: @MainActor @Sendable (BaseAPIManager) -> Void = { keep($0.rawData) }
  _ = await LoadDriver.run(service: service, loads: 640, inFlight: 64, use: use)
  let seconds = await LoadDriver.run(service: service, loads: 6400, inFlight: 64, use: use).wall
  keep(sockets)
  return PinnedTime(seconds: seconds / 6400)
}

/// Sockets that are opened and released; the arguments are port and number.
func releasedSockets(_ arguments: [String]) async throws -> SocketRemains {
  guard arguments.count == 2, let port = Int(arguments[0]), let count = Int(arguments[1]) else {
    throw BenchFailure("port and number are needed")
  }
  let service = try SocketBackend(port: port, transport: try CurlTransport())
  func round(_ count: Int) async throws {
    for _ in 0..<(count / 50) { _ = try await open(50, service) }
    // The last of them say goodbye within 100 ms.
    try await Task.sleep(for: .milliseconds(500))
  }
  func descriptors() -> Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
  }
  try await round(1000)
  ProcessUse.trimHeap()
  let before = (heap: ProcessUse.heap, descriptors: descriptors())
  try await round(count)
  ProcessUse.trimHeap()
  return SocketRemains(
    heap: max(0, ProcessUse.heap - before.heap), descriptors: max(0, descriptors() - before.descriptors))
}
