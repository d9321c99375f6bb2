import APIKit
import Foundation

/// A server on 127.0.0.1 for a few browsers: one thread, a bounded number of connections, each with bounded buffers and a time
/// within which its request must have arrived and its response been read.
final class ConsoleServer: Sendable {
  /// What it asks. Called on its thread; must not block.
  struct Callbacks: Sendable {
    var respond: @Sendable (ConsoleRequest) -> ConsoleResponse
    /// What a connection that stays open gets first.
    var greeting: @Sendable () -> String
    /// How many connections stay open, where that has changed.
    var streams: @Sendable (Int) -> Void
  }

  private struct ServerState {
    var pushed: [UInt8] = []
    var isStopped = false
    var isOver = false
  }

  var port: UInt16 { listener.port }
  private let listener: LoopbackSocket.Listener
  private let maximumConnections: Int
  private let callbacks: Callbacks
  private let state = Mutex(ServerState())
  private let ended = NSCondition()

  /// How long a request may take to arrive, and a response to be read.
  static let limit: Duration = .seconds(5)
  /// How much may wait for a connection that stays open; one that reads more slowly is closed, and its browser comes back.
  static let maximumBacklog = 1 << 20

  /// Listens; serves from ``begin()`` on.
  init(port: UInt16, maximumConnections: Int, _ callbacks: Callbacks) throws(APIError) {
    do throws(LoopbackSocket.Fault) { listener = try LoopbackSocket.open(port: port, backlog: 32) } catch {
      throw APIError(.takeoff, .misconfigured, "the console cannot \(error)")
    }
    self.maximumConnections = max(1, maximumConnections)
    self.callbacks = callbacks
  }

  /// Serves on a thread of its own until ``stop()``.
  func begin() {
    let thread = Thread { [self] in serve() }
    thread.name = "APIKit.Console"
    thread.start()
  }

  /// Sends an event to all connections that stay open. May be called from any thread; what has no room is left out.
  func push(_ event: String) {
    let mustWake = state.withLock { state in
      guard !state.isStopped, state.pushed.count < Self.maximumBacklog else { return false }
      defer { state.pushed.append(contentsOf: event.utf8) }
      return state.pushed.isEmpty
    }
    if mustWake { LoopbackSocket.wake(listener.bell.write) }
  }

  /// Ends all connections, and returns when the port is free. Further calls have no effect.
  func stop() {
    let isFirst = state.withLock { state in
      defer { state.isStopped = true }
      return !state.isStopped
    }
    if isFirst { LoopbackSocket.wake(listener.bell.write) }
    ended.lock()
    while !state.withLock({ $0.isOver }) { ended.wait() }
    ended.unlock()
  }

  // MARK: The thread

  private func serve() {
    var connections: [ConsoleConnection] = []
    var (streams, lastSign) = (0, ContinuousClock.now)
    while true {
      let (pushed, isStopped) = state.withLock { state in
        defer { state.pushed = [] }
        return (state.pushed, state.isStopped)
      }
      if isStopped { break }
      var news = pushed
      if ContinuousClock.now - lastSign > .seconds(10) {
        // A browser that is gone is noticed by what is sent to it.
        news += Array(": \n\n".utf8)
        lastSign = .now
      }
      for connection in connections { connection.push(news) }
      for connection in connections { connection.proceed(callbacks) }
      connections.removeAll { $0.isOver }
      let count = connections.count(where: \.isStream)
      if count != streams {
        streams = count
        callbacks.streams(count)
      }
      wait(for: connections)
      accept(into: &connections)
    }
    connections = []
    if streams > 0 { callbacks.streams(0) }
    LoopbackSocket.end(listener.descriptor)
    ended.lock()
    state.withLock { $0.isOver = true }
    ended.broadcast()
    ended.unlock()
  }

  private func wait(for connections: [ConsoleConnection]) {
    var descriptors = [
      pollfd(fd: listener.bell.read, events: Int16(POLLIN), revents: 0),
      pollfd(fd: listener.descriptor, events: Int16(POLLIN), revents: 0),
    ]
    for connection in connections {
      let events =
        (connection.wantsToReceive ? Int16(POLLIN) : 0) | (connection.wantsToSend ? Int16(POLLOUT) : 0)
      descriptors.append(pollfd(fd: connection.descriptor, events: events, revents: 0))
    }
    let ready = poll(&descriptors, nfds_t(descriptors.count), connections.isEmpty ? 60_000 : 500)
    if ready > 0, descriptors[0].revents != 0 { LoopbackSocket.drain(listener.bell.read) }
  }

  private func accept(into connections: inout [ConsoleConnection]) {
    while let descriptor = LoopbackSocket.accept(listener.descriptor) {
      let connection = ConsoleConnection(descriptor, until: .now + Self.limit)
      // One more than there may be is told so, as far as it reads that at once.
      guard connections.count < maximumConnections else {
        _ = LoopbackSocket.send(
          descriptor, ConsoleResponse(503, "The console has too many connections.\n").bytes[...])
        continue
      }
      connections.append(connection)
    }
  }

  deinit {
    LoopbackSocket.end(listener.bell.read)
    LoopbackSocket.end(listener.bell.write)
    if !state.withLock({ $0.isOver }) { LoopbackSocket.end(listener.descriptor) }
  }
}

/// One connection to the console: reads a request, sends the response, and stays open for events where that is a stream. It never
/// blocks. Used on the server's thread.
final class ConsoleConnection {
  private enum ConnectionPhase { case reading, sending, closing, streaming, over }

  let descriptor: Int32
  private var end: ContinuousClock.Instant
  private var phase = ConnectionPhase.reading
  private var received: [UInt8] = []
  private var toSend: ArraySlice<UInt8> = []

  /// Takes over a connection, whose request must have arrived by this time.
  init(_ descriptor: Int32, until end: ContinuousClock.Instant) {
    self.descriptor = descriptor
    self.end = end
  }

  deinit { LoopbackSocket.end(descriptor) }

  var isOver: Bool { phase == .over }
  var isStream: Bool { phase == .streaming }
  var wantsToSend: Bool { !toSend.isEmpty }
  /// Whether what arrives is read; else the end of the other side would wake the server again and again.
  var wantsToReceive: Bool { phase != .sending }

  /// Adds events, where it stays open.
  func push(_ events: [UInt8]) {
    guard phase == .streaming, !events.isEmpty else { return }
    toSend.append(contentsOf: events)
    if toSend.count > ConsoleServer.maximumBacklog { phase = .over }
  }

  /// Receives and sends what it can.
  func proceed(_ callbacks: ConsoleServer.Callbacks) {
    switch phase {
    case .reading: read(callbacks)
    // A client may have ended its side behind the request, and still wants the response.
    case .sending: break
    case .streaming, .closing:
      // The other side has nothing more to say, but may leave. What it sends all the same is read: a close before would take
      // the response with it.
      if LoopbackSocket.receive(descriptor) == nil { phase = .over }
    case .over: break
    }
    if phase == .sending || phase == .streaming { send() }
    if phase != .streaming, ContinuousClock.now >= end { phase = .over }
  }

  private func read(_ callbacks: ConsoleServer.Callbacks) {
    while phase == .reading {
      guard let bytes = LoopbackSocket.receive(descriptor) else { return phase = .over }
      if bytes.isEmpty { return }
      received += bytes
      let response: ConsoleResponse
      switch ConsoleRequest.read(received) {
      case .incomplete: continue
      case .refused(let status): response = ConsoleResponse(status)
      case .complete(let request): response = callbacks.respond(request)
      }
      received = []
      toSend = response.bytes[...]
      if response.isStream { toSend += Array(callbacks.greeting().utf8) }
      phase = response.isStream ? .streaming : .sending
      end = .now + ConsoleServer.limit
    }
  }

  private func send() {
    while !toSend.isEmpty {
      guard let count = LoopbackSocket.send(descriptor, toSend) else { return phase = .over }
      if count == 0 { return }
      toSend = toSend.dropFirst(count)
    }
    guard phase == .sending else { return }
    LoopbackSocket.finishSending(descriptor)
    phase = .closing
  }
}
