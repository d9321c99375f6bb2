import APIKit
import Foundation

/// A TCP proxy on loopback to one port, which breaks some of its connections on purpose.
///
/// Each connection has a thread of its own, whose blocking calls end when ``stop()`` shuts its sockets down.
final class FaultProxy: Sendable {
  /// What happens to a connection on the way to its client.
  enum Fault: String, CaseIterable {
    /// It is reset as soon as it is accepted.
    case refusal
    /// It is closed in order after some bytes, in the middle of a response or between two.
    case cut
    /// It is reset after some bytes.
    case reset
    /// Nothing is passed on for a while after some bytes.
    case stall
    /// Its bytes come a few at a time.
    case trickle
  }

  /// The address and the port it listens on.
  let address: String
  let port: UInt16
  private let upstream: UInt16
  private let listener: Int32
  private let state: Mutex<State>
  private let threads = DispatchGroup()

  private struct State {
    var random: SoakRandom
    var open: Set<Int32> = []
    var counts: [Fault: Int] = [:]
    var connections = 0
    var isStopped = false
    /// Connections that end with a reset, and until when others are refused.
    var killed: Set<Int32> = []
    var deadUntil = ContinuousClock.now
  }

  /// Listens, and passes connections on to `upstream`.
  init(
    to upstream: UInt16, random: SoakRandom, at listened: String = "127.0.0.1", port wanted: UInt16 = 0
  ) throws {
    self.upstream = upstream
    address = listened
    state = Mutex(State(random: random))
    let listener = Self.makeSocket()
    self.listener = listener
    var address = Self.loopback(wanted)
    address.sin_addr.s_addr = inet_addr(listened)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, length) == 0 && listen(listener, 128) == 0
          && getsockname(listener, $0, &length) == 0
      }
    }
    guard isListening else {
      close(listener)
      throw SoakFailure("the proxy cannot listen: \(String(cString: strerror(errno)))")
    }
    port = UInt16(bigEndian: address.sin_port)
    run { self.accept() }
  }

  /// Proxies with one port at several addresses.
  static func pool(of addresses: [String], to upstream: UInt16, random: inout SoakRandom) throws
    -> [FaultProxy]
  {
    for _ in 0..<20 {
      let first = try FaultProxy(to: upstream, random: random.split(), at: addresses[0])
      do {
        return [first]
          + (try addresses.dropFirst().map {
            try FaultProxy(to: upstream, random: random.split(), at: $0, port: first.port)
          })
      } catch { first.stop() }
    }
    throw SoakFailure("no port is free at all of \(addresses)")
  }

  /// Dies with what it has in hand, and is back after a few milliseconds: all connections are reset.
  func die() {
    state.withLock { state in
      state.deadUntil = ContinuousClock.now + .milliseconds(Int.random(in: 0...20, using: &state.random))
      state.killed = state.open
      for descriptor in state.open { shutdown(descriptor, Int32(SHUT_RD)) }
    }
  }

  /// How many connections it has served, and how many of them it broke in each way.
  var counts: (connections: Int, faults: [Fault: Int]) { state.withLock { ($0.connections, $0.counts) } }

  /// Closes all connections and the port, and waits for the threads.
  func stop() {
    state.withLock { state in
      state.isStopped = true
      for descriptor in state.open { shutdown(descriptor, Int32(SHUT_RDWR)) }
    }
    shutdown(listener, Int32(SHUT_RDWR))
    threads.wait()
    close(listener)
  }

  private func run(_ body: @escaping @Sendable () -> Void) {
    threads.enter()
    let thread = Thread { [threads] in
      body()
      threads.leave()
    }
    thread.stackSize = 256 << 10
    thread.start()
  }

  private func accept() {
    while true {
      let client = systemAccept(listener)
      guard client >= 0 else {
        if errno == EINTR || errno == ECONNABORTED { continue }
        return
      }
      let plan: Plan = state.withLock { state in
        state.connections += 1
        var plan = Plan(&state.random)
        if ContinuousClock.now < state.deadUntil { plan.fault = .refusal }
        if let fault = plan.fault { state.counts[fault, default: 0] += 1 }
        return plan
      }
      if plan.fault == .refusal {
        Self.reset(client)
      } else {
        run { self.serve(client, plan) }
      }
    }
  }

  /// Whether a socket is listed, and is so shut down by ``stop()``.
  private func open(_ descriptor: Int32) -> Bool {
    state.withLock { state in
      guard !state.isStopped else { return false }
      return state.open.insert(descriptor).inserted
    }
  }

  /// Closes a socket under the lock, so that ``stop()`` shuts down no descriptor of somebody else.
  private func end(_ descriptor: Int32, byReset: Bool = false) {
    state.withLock { state in
      state.open.remove(descriptor)
      let wasKilled = state.killed.remove(descriptor) != nil
      if byReset || wasKilled { Self.reset(descriptor) } else { close(descriptor) }
    }
  }

  private func serve(_ client: Int32, _ plan: Plan) {
    let server = Self.makeSocket()
    var address = Self.loopback(upstream)
    let isConnected = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    let isOpen = open(client) && open(server) && isConnected
    let isReset = isOpen && pass(client, server, plan)
    end(client, byReset: isReset)
    end(server)
  }

  /// Passes bytes both ways until one side has ended; returns whether the client is to get a reset.
  private func pass(_ client: Int32, _ server: Int32, _ plan: Plan) -> Bool {
    var buffer = [UInt8](repeating: 0, count: 16 << 10)
    var entries = [client, server].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    var sent = 0
    while poll(&entries, 2, -1) >= 0 || errno == EINTR {
      if entries[0].revents != 0 {
        let count = recv(client, &buffer, buffer.count, 0)
        if count <= 0 {
          shutdown(server, Int32(SHUT_WR))
          entries[0].fd = -1
        } else if !Self.send(server, buffer[..<count]) {
          return false
        }
      }
      if entries[1].revents != 0 {
        let count = recv(server, &buffer, buffer.count, 0)
        guard count > 0 else { return false }
        let isDue = sent <= plan.after && plan.after < sent + count
        let before = isDue ? plan.after - sent : count
        guard Self.send(client, buffer[..<before], trickles: plan.fault == .trickle) else { return false }
        if isDue {
          switch plan.fault {
          case .cut: return false
          case .reset: return true
          case .stall: usleep(plan.pause)
          case .trickle, .refusal, nil: break
          }
          guard Self.send(client, buffer[before..<count], trickles: plan.fault == .trickle) else {
            return false
          }
        }
        sent += count
      }
    }
    return false
  }

  /// What happens to one connection.
  private struct Plan: Sendable {
    var fault: Fault?
    /// How many bytes reach the client before.
    var after: Int
    /// How long a stall takes, in microseconds.
    var pause: UInt32

    /// Nearly half of the connections stay whole.
    init(_ random: inout SoakRandom) {
      fault = Bool.random(using: &random) ? Fault.allCases.randomElement(using: &random) : nil
      after = Int.random(in: 0...30_000, using: &random)
      pause = UInt32.random(in: 1000...100_000, using: &random)
    }
  }
}

extension FaultProxy {
  private static func makeSocket() -> Int32 {
    socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
  }

  private static func loopback(_ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
  }

  private static func send(_ descriptor: Int32, _ bytes: ArraySlice<UInt8>, trickles: Bool = false) -> Bool {
    var rest = bytes
    while !rest.isEmpty {
      let part = trickles ? rest.prefix(400) : rest
      let count = part.withUnsafeBytes { systemSend(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
      if trickles { usleep(500) }
    }
    return true
  }

  /// Closes with a reset instead of an orderly end.
  private static func reset(_ descriptor: Int32) {
    var hard = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &hard, socklen_t(MemoryLayout<linger>.size))
    close(descriptor)
  }
}

// System calls whose names the class uses for functions of its own.
private func systemAccept(_ listener: Int32) -> Int32 { accept(listener, nil, nil) }
private func systemSend(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  send(descriptor, bytes, count, Int32(MSG_NOSIGNAL))
}
