#if os(Linux)
  import CAPIKit

  /// The open sockets of a loop by their local ports.
  ///
  /// Before a request is sent libcurl tells the local port of its connection, and not the socket.
  struct CurlSocketsByPort {
    /// Mostly one for each port; connections to different peers may share a local port.
    private var byPort: [UInt16: [Int32]] = [:]
    private var ports: [Int32: UInt16] = [:]
    /// Those whose port was not looked up yet; it is known when they are connected.
    private var unnamed: [Int32] = []

    /// A socket was opened.
    mutating func open(_ socket: Int32) { unnamed.append(socket) }

    /// A socket is about to be closed.
    mutating func close(_ socket: Int32) {
      guard let port = ports.removeValue(forKey: socket) else { return unnamed.removeAll { $0 == socket } }
      byPort[port]?.removeAll { $0 == socket }
      if byPort[port]?.isEmpty == true { byPort[port] = nil }
    }

    /// The sockets with a local port.
    mutating func sockets(at port: UInt16) -> [Int32] {
      if !unnamed.isEmpty { name() }
      return byPort[port] ?? []
    }

    private mutating func name() {
      unnamed.removeAll { socket in
        let port = capikit_local_port(socket)
        guard port != 0 else { return false }
        ports[socket] = port
        byPort[port, default: []].append(socket)
        return true
      }
    }
  }
#endif
