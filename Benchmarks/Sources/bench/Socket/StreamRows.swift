import APIKit
import APIKitSockets
import CMachine
import Foundation
import TestServers

final class BenchEvents: BaseEventStreamManager, EventStreamManager {
  let service: SocketBackend
  let apiName = "events"
  let reconnection = ReconnectPolicy.never

  init(_ service: SocketBackend) { self.service = service }

  func ends(at event: ServerEvent) -> Bool { event.data == "[DONE]" }
}

/// Counts events until the stream has ended.
@MainActor private final class EventCount: EventStreamDelegate {
  private(set) var count = 0
  private var done: CheckedContinuation<Int, Never>?

  static func run(_ manager: BenchEvents) async -> Int {
    let counter = EventCount()
    manager.delegate = counter
    return await withCheckedContinuation { continuation in
      counter.done = continuation
      manager.open()
    }
  }

  func events(_ manager: BaseEventStreamManager, didReceive event: ServerEvent) { count += 1 }

  func events(_ manager: BaseEventStreamManager, didCloseWith closing: StreamClosing) {
    done?.resume(returning: count)
    done = nil
  }
}

/// Events parsed, and landed on a delegate from nginx.
func events(_ measurement: Measurement) async throws {
  let names = (parsed: "events parsed", landed: "events landed on the main actor")
  guard measurement.wants(names.parsed, names.landed) else { return }
  let count = 200_000
  var file: [UInt8] = []
  for number in 0..<count {
    file +=
      "id: \(number)\nevent: price\ndata: {\"home\":\"ames-\(number % 2930)\",\"price\":\(180_000 + number)}\n\n"
      .utf8
  }
  let seconds = try measurement.seconds(slice: 0.2) {
    var (parser, items) = (EventStreamParser(maximumBytes: 1 << 20), [ServerEvent]())
    try file.withUnsafeBytes { bytes in
      for start in stride(from: 0, to: bytes.count, by: 64 << 10) {
        try parser.take(
          UnsafeRawBufferPointer(rebasing: bytes[start..<min(bytes.count, start + 64 << 10)]), into: &items)
        items.removeAll(keepingCapacity: true)
      }
    }
  }
  measurement.record(
    names.parsed, Double(file.count) / seconds / 1e6, "MB/s", bar: .atLeast(150),
    note: "\(file.count / count) bytes each")
  guard measurement.wants(names.landed) else { return }
  file += "data: [DONE]\n\n".utf8
  let nginx = try NginxServer(
    locations: "location /live/ { alias files/; gzip off; types {} default_type text/event-stream; }")
  try Data(file).write(to: nginx.files.appendingPathComponent("events"))
  let manager = await BenchEvents(try SocketBackend(nginx.url("/live"), transport: try CurlTransport()))
  var best = Double.infinity
  for _ in 0..<measurement.rounds {
    let seconds = try await Measurement.seconds {
      let landed = await EventCount.run(manager)
      guard landed == count else { throw BenchFailure("\(landed) events have landed") }
    }
    best = min(best, seconds)
  }
  measurement.record(names.landed, Double(count) / best, "a second", bar: .atLeast(180_000))
}

/// Streams of bytes against a client in C; the server is in C.
func streams(_ measurement: Measurement) async throws {
  let names = (pong: "a stream's 32 B back and forth, against C", bulk: "a stream's bulk, against C")
  guard measurement.wants(names.pong, names.bulk) else { return }
  let (core, other) = try cores()
  let server = try StreamServer()
  defer { server.stop() }
  try server.pin(toCore: other)
  func run(_ job: String, _ words: [String]) throws -> Double {
    let result: PinnedTime = try ChildProcess.run(job, [String(core), String(server.port)] + words)
    return result.seconds
  }
  try await measurement.race(names.pong, bar: .atLeast(0.7)) {
    try run("stream-echo", ["20000"])
  } theirs: {
    try run("bare-stream-echo", ["20000"])
  }
  let bytes = 2 << 30
  try await measurement.race(names.bulk, bar: .atLeast(0.4), note: "\(bytes >> 20) MiB") {
    try run("stream-read", [String(bytes)])
  } theirs: {
    try run("bare-stream-read", [String(bytes)])
  }
}

/// The server of streams as a child process of this program.
final class StreamServer {
  private let process = Process()
  let port: Int

  init() throws {
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = ["--child", "serve-streams"]
    process.standardOutput = output
    try process.run()
    let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    guard let port = Int(line.trimmingCharacters(in: .whitespacesAndNewlines)) else {
      throw BenchFailure("the server of streams did not start")
    }
    self.port = port
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
}

/// Serves streams until it is ended.
func serveStreams(_ arguments: [String]) async throws -> PinnedTime {
  machine_serve_streams()
  throw BenchFailure("the server of streams has ended")
}

private func streamNumbers(_ arguments: [String]) throws -> (port: Int, number: Int) {
  guard arguments.count == 3, let core = Int(arguments[0]), let port = Int(arguments[1]),
    let number = Int(arguments[2])
  else { throw BenchFailure("core, port and a number are needed") }
  try ChildProcess.stay(onCore: core)
  return (port, number)
}

/// 32 bytes sent and read back, so many times; the arguments are core, port and their number.
func streamEcho(_ arguments: [String]) async throws -> PinnedTime {
  let (port, count) = try streamNumbers(arguments)
  let stream = try await ByteStream.open("127.0.0.1", port: port, over: try CurlTransport())
  try await stream.write([UInt8(ascii: "e")])
  let bytes = [UInt8](repeating: 0x78, count: 32)
  func run(_ count: Int) async throws {
    for _ in 0..<count {
      try await stream.write(bytes)
      guard try await stream.read(minimum: 32, maximum: 32).bytes == bytes else {
        throw BenchFailure("other bytes came back")
      }
    }
  }
  try await run(count / 10)
  return PinnedTime(seconds: try await Measurement.seconds { try await run(count) } / Double(count))
}

/// The same in C.
func bareStreamEcho(_ arguments: [String]) async throws -> PinnedTime {
  let (port, count) = try streamNumbers(arguments)
  _ = machine_stream_echo(Int32(port), 32, Int32(count / 10))
  let seconds = machine_stream_echo(Int32(port), 32, Int32(count))
  guard seconds > 0 else { throw BenchFailure("the client in C failed") }
  return PinnedTime(seconds: seconds / Double(count))
}

/// So many bytes read; the arguments are core, port and their number.
func streamRead(_ arguments: [String]) async throws -> PinnedTime {
  let (port, count) = try streamNumbers(arguments)
  let stream = try await ByteStream.open("127.0.0.1", port: port, over: try CurlTransport())
  let seconds = try await Measurement.seconds {
    try await stream.write(
      [UInt8(ascii: "d")] + (0..<8).map { UInt8(truncatingIfNeeded: count >> (56 - 8 * $0)) })
    var left = count
    while left > 0 {
      let read = try await stream.read(minimum: 1, maximum: 1 << 20)
      left -= read.bytes.count
      if left > 0, read.end != nil { throw BenchFailure("\(left) bytes did not come") }
    }
  }
  return PinnedTime(seconds: seconds)
}

/// The same in C.
func bareStreamRead(_ arguments: [String]) async throws -> PinnedTime {
  let (port, count) = try streamNumbers(arguments)
  let seconds = machine_stream_read(Int32(port), count)
  guard seconds > 0 else { throw BenchFailure("the client in C failed") }
  return PinnedTime(seconds: seconds)
}
