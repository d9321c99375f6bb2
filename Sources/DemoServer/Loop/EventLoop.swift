import APIKit

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The loop of the server's thread: waits for sockets with `poll` and lets each connection proceed.
struct EventLoop {
  private let listener: Int32
  private let wake: Int32
  private let engine: DemoEngine
  private var connections: [Connection] = []
  private var accepted = 0

  /// Makes a loop that owns both descriptors and closes them at its end.
  init(listener: Int32, wake: Int32, engine: DemoEngine) {
    self.listener = listener
    self.wake = wake
    self.engine = engine
  }

  /// Runs until a byte arrives through the wake pipe, or its other end is closed.
  mutating func run() {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
    defer {
      buffer.deallocate()
      for connection in connections { close(connection) }
      _ = systemClose(listener)
      _ = systemClose(wake)
    }
    var entries: [pollfd] = []
    while true {
      var now = LoopClock.now()
      let timeout = prepare(&entries, now: now)
      let ready = poll(&entries, nfds_t(entries.count), timeout)
      if ready < 0, errno != EINTR { return }
      if entries[0].revents != 0 { return }
      now = LoopClock.now()
      for (index, connection) in connections.enumerated() {
        let events = Int32(entries[index + 2].revents)
        if events & Int32(POLLIN | POLLHUP | POLLERR) != 0 { connection.read(into: buffer, now: now) }
        if connection.wantsToWrite(now: now) { connection.pump(now: now) }
      }
      sweep(now: now)
      if entries[1].revents != 0 { accept(now: now) }
    }
  }

  /// Fills the list for `poll` (wake pipe, listener, connections in order); returns the longest wait in
  /// milliseconds.
  private func prepare(_ entries: inout [pollfd], now: Int64) -> Int32 {
    entries.removeAll(keepingCapacity: true)
    entries.append(pollfd(fd: wake, events: Int16(POLLIN), revents: 0))
    let isFull = connections.count >= engine.maximumConnections
    entries.append(pollfd(fd: isFull ? -1 : listener, events: Int16(POLLIN), revents: 0))
    var next = now + 1_000_000_000
    for connection in connections {
      var events: Int32 = 0
      if connection.wantsToRead { events |= Int32(POLLIN) }
      if connection.wantsToWrite(now: now) {
        events |= Int32(POLLOUT)
      } else {
        next = min(next, connection.alarm)
      }
      next = min(next, connection.deadline)
      entries.append(pollfd(fd: connection.descriptor, events: Int16(events), revents: 0))
    }
    return Int32(max(0, (next - now + 999_999) / 1_000_000))
  }

  private mutating func accept(now: Int64) {
    while connections.count < engine.maximumConnections, let descriptor = LoopbackSocket.accept(listener) {
      accepted += 1
      connections.append(Connection(descriptor, number: accepted, engine: engine, now: now))
      engine.countOpened()
    }
  }

  /// Ends the connections whose time is over, and removes those that have ended.
  private mutating func sweep(now: Int64) {
    for connection in connections where now >= connection.deadline { connection.expire(now: now) }
    let isOver = { (connection: Connection) in connection.phase == .closed || connection.isClosed }
    guard connections.contains(where: isOver) else { return }
    for connection in connections where isOver(connection) { close(connection) }
    connections.removeAll(where: isOver)
  }

  private func close(_ connection: Connection) {
    guard connection.markClosed() else { return }
    _ = systemClose(connection.descriptor)
    engine.countClosed()
  }
}

private func systemClose(_ descriptor: Int32) -> Int32 { close(descriptor) }
