import APIKit
import Foundation

#if canImport(Glibc)
  // Owns the constants of sockets in a build that reads it before Glibc.
  import CAPIKit
  import Glibc
#else
  import Darwin
#endif

extension ScriptedServer {
  /// One accepted connection, used by its own thread alone.
  struct Connection {
    let socket: Int32
    let number: Int
    var last = Received()
    var tls: ScriptedTLS.Session?
    private var buffer: [UInt8] = []

    /// No wait is longer, so that a broken test ends.
    private static let patience: Int32 = 20_000

    #if canImport(Darwin)
      private static let quietly: Int32 = 0
    #else
      private static let quietly = Int32(MSG_NOSIGNAL)
    #endif

    init(socket: Int32, number: Int) {
      self.socket = socket
      #if canImport(Darwin)
        // Writing to a client that is gone fails instead of ending the program.
        var on: Int32 = 1
        setsockopt(socket, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
      #endif
      self.number = number
    }

    /// Writes all; false when the client is gone.
    func write(_ bytes: [UInt8], pastTLS: Bool = false) -> Bool {
      var sent = 0
      while sent < bytes.count {
        let count = bytes[sent...].withUnsafeBytes { bytes in
          if let tls, !pastTLS { return tls.write(bytes) }
          return send(socket, bytes.baseAddress, bytes.count, Self.quietly)
        }
        guard count > 0 else { return false }
        sent += count
      }
      return true
    }

    /// Waits; false when the connection ended meanwhile.
    func pause(_ time: Duration) -> Bool {
      let milliseconds =
        time.components.seconds * 1000 + time.components.attoseconds / 1_000_000_000_000_000
      return !wait(for: Self.hangUp, Int32(min(milliseconds, Int64(Self.patience))))
    }

    /// Reads and drops what comes until the client closes.
    func waitForClose() {
      var chunk = [UInt8](repeating: 0, count: 64 * 1024)
      while true {
        guard wait(for: Int16(POLLIN), Self.patience), recv(socket, &chunk, chunk.count, 0) > 0 else {
          return
        }
      }
    }

    /// Reads until the client closes; what was read and not taken by a request.
    mutating func readRest() -> [UInt8] {
      while fill() {}
      defer { buffer = [] }
      return buffer
    }

    /// The next request; nil when the client closed or sent no HTTP.
    mutating func readRequest(withBody: Bool) -> Received? {
      guard let head = readHead() else { return nil }
      var request = Received(connection: number, head: head)
      let lines = head.components(separatedBy: "\r\n")
      let words = lines[0].split(separator: " ", omittingEmptySubsequences: false).map(String.init)
      guard words.count == 3 else { return nil }
      (request.method, request.target, request.version) = (words[0], words[1], words[2])
      for line in lines.dropFirst() {
        guard let colon = line.firstIndex(of: ":") else { return nil }
        let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
        request.headers.add(String(line[..<colon]), value)
      }
      guard withBody else { return request }
      if request.headers["Expect"]?.lowercased() == "100-continue" {
        _ = write(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
      }
      if request.headers["Transfer-Encoding"]?.lowercased() == "chunked" {
        request.isChunked = true
        guard let body = readChunks() else { return nil }
        request.body = body
      } else if let length = request.headers["Content-Length"].flatMap({ Int($0) }) {
        guard let body = take(length) else { return nil }
        request.body = body
      }
      return request
    }

    private mutating func readHead() -> String? {
      let end = Array("\r\n\r\n".utf8)
      var searched = 0
      while true {
        let from = max(0, searched - 3)
        if buffer.count >= 4, from + 4 <= buffer.count,
          let index = (from...(buffer.count - 4)).first(where: {
            buffer[$0] == 13 && buffer[$0..<($0 + 4)].elementsEqual(end)
          })
        {
          let head = String(decoding: buffer[..<index], as: UTF8.self)
          buffer.removeFirst(index + 4)
          return head
        }
        searched = buffer.count
        guard fill() else { return nil }
      }
    }

    private mutating func readChunks() -> [UInt8]? {
      var body: [UInt8] = []
      while true {
        guard let line = readLine(), let size = Int(line.prefix { $0 != ";" }, radix: 16) else { return nil }
        if size == 0 {
          while let trailer = readLine(), !trailer.isEmpty {}
          return body
        }
        guard let chunk = take(size), readLine() == "" else { return nil }
        body += chunk
      }
    }

    /// The next line; nil when the client closed.
    mutating func readLine() -> String? {
      while true {
        if let index = buffer.firstIndex(of: 10) {
          let line = String(decoding: buffer[..<index], as: UTF8.self)
          buffer.removeFirst(index + 1)
          return line.trimmingCharacters(in: ["\r"])
        }
        guard fill() else { return nil }
      }
    }

    private mutating func take(_ count: Int) -> [UInt8]? {
      while buffer.count < count { guard fill() else { return nil } }
      defer { buffer.removeFirst(count) }
      return Array(buffer.prefix(count))
    }

    private mutating func fill() -> Bool {
      var chunk = [UInt8](repeating: 0, count: 64 * 1024)
      // OpenSSL may hold bytes that it has read, and waits itself.
      if tls == nil, !wait(for: Int16(POLLIN), Self.patience) { return false }
      let count = chunk.withUnsafeMutableBytes { bytes in
        if let tls { return tls.read(bytes) }
        return recv(socket, bytes.baseAddress, bytes.count, 0)
      }
      guard count > 0 else { return false }
      buffer += chunk[..<count]
      return true
    }

    /// Waits for an event; false when so many milliseconds are over.
    private func wait(for event: Int16, _ milliseconds: Int32) -> Bool {
      let end = ContinuousClock.now + .milliseconds(milliseconds)
      var left = milliseconds
      while true {
        var watched = pollfd(fd: socket, events: event, revents: 0)
        let ready = poll(&watched, 1, left)
        // A process that was stopped and goes on has its waits interrupted.
        guard ready < 0, errno == EINTR else { return ready != 0 }
        left = Int32(max(.zero, end - .now) / .milliseconds(1))
      }
    }

    #if canImport(Glibc)
      // POLLRDHUP, which the Glibc module hides behind _GNU_SOURCE.
      private static let hangUp: Int16 = 0x2000
    #else
      private static let hangUp = Int16(POLLHUP)
    #endif
  }
}
