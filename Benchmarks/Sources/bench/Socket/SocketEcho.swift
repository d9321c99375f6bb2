import APIKit
import APIKitSockets
import CMachine
import Foundation

/// A server on loopback.
struct SocketBackend: APIService {
  let name = "Socket"
  let environments: ServiceEnvironments
  let wire: WireOptions
  var admission = AdmissionOptions(network: NetworkMonitor(watchesSystem: false))

  init(port: Int, transport: any HTTPTransport) throws {
    try self.init("http://127.0.0.1:\(port)/", transport: transport)
  }

  init(_ url: String, transport: any HTTPTransport) throws {
    environments = ServiceEnvironments(try HTTPURL(url))
    wire = WireOptions(client: HTTPClient(transport: transport))
  }
}

final class BenchSocket: BaseSocketManager, SocketManager {
  let service: SocketBackend
  let apiName = "echo"
  var options = SocketOptions()

  init(_ service: SocketBackend) { self.service = service }
}

/// Has messages sent back, so many of them under way, and counts them on the main actor.
@MainActor final class SocketEcho: SocketManagerDelegate {
  enum Kind: String {
    case text, data
  }

  private let message: SocketMessage
  private var toSend: Int
  private var toReceive: Int
  private let inFlight: Int
  private var start = ContinuousClock.now
  private var done: CheckedContinuation<Double, Never>?

  init(_ message: SocketMessage, inFlight: Int, count: Int) {
    self.message = message
    self.inFlight = inFlight
    (toSend, toReceive) = (count, count)
  }

  /// The seconds of one message, over a socket of its own.
  ///
  /// - Parameter check: Called with the open socket at the end.
  static func run(
    _ service: SocketBackend, _ message: SocketMessage, inFlight: Int, count: Int,
    check: @MainActor (BenchSocket) throws -> Void = { _ in }
  ) async throws -> Double {
    let echo = SocketEcho(message, inFlight: inFlight, count: count)
    let socket = BenchSocket(service)
    socket.delegate = echo
    let seconds = await withCheckedContinuation { continuation in
      echo.done = continuation
      socket.open()
    }
    try check(socket)
    socket.cancel()
    return seconds / Double(count)
  }

  private func sendOne(_ manager: BaseSocketManager) {
    guard toSend > 0 else { return }
    toSend -= 1
    // A message that is not sent would flatter the number: the run would never end.
    try? manager.send(message)
  }

  func socket(_ manager: BaseSocketManager, didOpenWith opening: SocketOpening) {
    start = .now
    for _ in 0..<inFlight { sendOne(manager) }
  }

  func socket(_ manager: BaseSocketManager, didReceive message: SocketMessage) {
    toReceive -= 1
    sendOne(manager)
    if toReceive == 0 {
      done?.resume(returning: Measurement.seconds(.now - start))
      done = nil
    }
  }

  func socket(_ manager: BaseSocketManager, didCloseWith closing: SocketClosing) {
    if done != nil { fatalError("the socket of the measurement closed: \(closing)") }  // no number then
  }
}

/// A WebSocket on one core; the arguments are core, port, kind, size, messages under way, and how many.
func socketEcho(_ arguments: [String]) async throws -> PinnedTime {
  let numbers = try echoNumbers(arguments)
  let service = try SocketBackend(port: numbers.port, transport: try CurlTransport())
  let message: SocketMessage =
    numbers.isText
    ? .text(String(repeating: "x", count: numbers.size))
    : .data([UInt8](repeating: 0x78, count: numbers.size))
  let run = { try await SocketEcho.run(service, message, inFlight: numbers.inFlight, count: $0) }
  _ = try await run(max(1, numbers.count / 10))
  return PinnedTime(seconds: try await run(numbers.count))
}

/// The same in C.
func bareSocketEcho(_ arguments: [String]) async throws -> PinnedTime {
  let numbers = try echoNumbers(arguments)
  func run(_ count: Int) throws -> Double {
    let seconds = machine_socket_echo(
      Int32(numbers.port), numbers.isText ? 1 : 2, numbers.size, Int32(numbers.inFlight), Int32(count))
    guard seconds > 0 else { throw BenchFailure("the client in C failed") }
    return seconds / Double(count)
  }
  _ = try run(max(1, numbers.count / 10))
  return PinnedTime(seconds: try run(numbers.count))
}

private func echoNumbers(
  _ arguments: [String]
) throws -> (port: Int, isText: Bool, size: Int, inFlight: Int, count: Int) {
  guard arguments.count == 6, let core = Int(arguments[0]), let port = Int(arguments[1]),
    let size = Int(arguments[3]), let inFlight = Int(arguments[4]), let count = Int(arguments[5])
  else { throw BenchFailure("core, port, kind, size, messages under way and their number are needed") }
  try ChildProcess.stay(onCore: core)
  return (port, arguments[2] == SocketEcho.Kind.text.rawValue, size, inFlight, count)
}

/// The text of a file, packed both ways, on one core; the arguments are core, port, file and how many.
func socketDeflate(_ arguments: [String]) async throws -> PinnedTime {
  guard arguments.count == 4, let core = Int(arguments[0]), let port = Int(arguments[1]),
    let count = Int(arguments[3])
  else { throw BenchFailure("core, port, file and a number are needed") }
  try ChildProcess.stay(onCore: core)
  let text = try String(contentsOfFile: arguments[2], encoding: .utf8)
  let service = try SocketBackend(port: port, transport: try CurlTransport())
  _ = try await SocketEcho.run(service, .text(text), inFlight: 1, count: count / 10) { @MainActor socket in
    guard socket.opening?.isCompressed == true else { throw BenchFailure("nothing is packed") }
  }
  return PinnedTime(
    seconds: try await SocketEcho.run(service, .text(text), inFlight: 1, count: count))
}
