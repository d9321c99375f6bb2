public import APIKit

/// A connection of bytes, TCP or TLS, for protocols other than HTTP.
///
/// Proxies, trust, pins and the policy about connections without TLS are those of its transport. May be used from any
/// thread; reads are served in the order of the calls, and so are writes. The connection ends with its last reference.
///
/// ```swift
/// let stream = try await ByteStream.open("mail.example", port: 587)
/// _ = try await stream.read(until: [0x0A])
/// try await stream.write(Array("STARTTLS\r\n".utf8))
/// _ = try await stream.read(until: [0x0A])
/// try await stream.startTLS(host: "mail.example")
/// ```
public final class ByteStream: Sendable {
  /// The result of a read.
  public struct Read: Sendable, Hashable {
    /// The end of the server's side.
    public enum End: Sendable, Hashable {
      /// In order: FIN, and close_notify before it over TLS.
      case closed
      /// TLS has ended without a close_notify, as an attacker could end it (RFC 8446, 6.1).
      case truncated
    }
    /// The bytes; fewer than the minimum only at the end.
    public var bytes: [UInt8]
    /// The end of the stream after these bytes; nil while more may come.
    public var end: End?

    /// Makes a result; for tests.
    public init(bytes: [UInt8], end: End? = nil) {
      self.bytes = bytes
      self.end = end
    }
  }

  private let channel: ByteChannel

  private init(_ channel: ByteChannel) { self.channel = channel }

  deinit { channel.close() }

  /// Opens a connection.
  ///
  /// Throws `APIError.Reason.unsupportedCapability` when the transport opens none, `APIError.Reason.invalidURL` for a host or
  /// a port that no URL may have, `APIError.Reason.cancelled` when the task is cancelled, and what a request's connection
  /// fails with.
  /// - Parameters:
  ///   - host: The server's name or address.
  ///   - port: Its port.
  ///   - isSecure: Whether TLS begins at once; false by default. Without TLS the transport's
  ///     `TransportConfiguration.cleartext` must allow the host.
  ///   - limit: How long opening may take; the default is 10 seconds.
  ///   - transport: The transport; the platform's default one by default.
  public static func open(
    _ host: String, port: Int, isSecure: Bool = false, within limit: Duration = .seconds(10),
    over transport: any HTTPTransport = DefaultTransport.shared
  ) async throws(APIError) -> ByteStream {
    try await open(host, port: port, isSecure: isSecure, within: limit, over: transport, time: SystemTime())
  }

  /// - Parameter time: The clock by which reads and writes are limited.
  static func open(
    _ host: String, port: Int, isSecure: Bool, within limit: Duration, over transport: any HTTPTransport,
    time: any TimeSource
  ) async throws(APIError) -> ByteStream {
    guard let opener = transport.wires else {
      throw APIError(
        .transport, .unsupportedCapability,
        "\(type(of: transport)) opens no streams of bytes; CurlTransport does, and URLSessionTransport on Apple platforms"
      )
    }
    let name = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
    let exchange = HTTPExchange(
      HTTPRequest(url: try HTTPURL("\(isSecure ? "https" : "http")://\(name):\(port)/")))
    let channel = ByteChannel(try opener.makeWire(for: exchange, speaksHTTP: false), opener, time)
    try await channel.open(within: limit)
    return ByteStream(channel)
  }

  /// Reads.
  ///
  /// Returns as soon as there are `minimum` bytes, with as many as there are, `maximum` at most; or with the bytes that
  /// there are when the server has ended its side. Throws `APIError.Reason.idleTimeout` after `limit`; the bytes that have
  /// come stay for the next read, as with `APIError.Reason.cancelled` when the task is cancelled. Throws
  /// `APIError.Reason.connectionLost` when the connection broke and everything before was read, and
  /// `APIError.Reason.misconfigured` for a minimum below 0 or above the maximum, and a maximum below 1.
  public func read(
    minimum: Int = 1, maximum: Int = 64 << 10, within limit: Duration? = nil
  ) async throws(APIError) -> Read {
    guard minimum >= 0, maximum > 0, minimum <= maximum else {
      throw APIError(.transport, .misconfigured, "a read has a minimum of at most its maximum")
    }
    return try await channel.read(.count(minimum: minimum, maximum: maximum), within: limit)
  }

  /// Reads up to a delimiter, which is the end of the bytes that are returned; or to the end of the stream.
  ///
  /// Throws `APIError.Reason.responseTooLarge` when the delimiter does not come within `maximum` bytes, which stay,
  /// `APIError.Reason.misconfigured` for an empty delimiter, and what ``read(minimum:maximum:within:)`` throws.
  public func read(
    until delimiter: [UInt8], maximum: Int = 64 << 10, within limit: Duration? = nil
  ) async throws(APIError) -> Read {
    guard !delimiter.isEmpty, maximum > 0 else {
      throw APIError(.transport, .misconfigured, "a delimiter has at least one byte, and so has the maximum")
    }
    return try await channel.read(.until(delimiter, maximum: maximum), within: limit)
  }

  /// Writes, and returns when the kernel has taken everything.
  ///
  /// Throws `APIError.Reason.idleTimeout` after `limit` (none by default), and `APIError.Reason.cancelled` when the task is
  /// cancelled; the bytes are sent all the same, because a part of them may have been sent already.
  public func write(_ bytes: [UInt8], within limit: Duration? = nil) async throws(APIError) {
    try await channel.write(bytes, within: limit)
  }

  /// Ends this side after everything that was written: FIN, over TLS a close_notify. Reading continues. Waits, and throws, as
  /// ``write(_:within:)`` does.
  public func closeWrite(within limit: Duration? = nil) async throws(APIError) {
    try await channel.closeWrite(within: limit)
  }

  /// Stops reading: reads that wait fail with `APIError.Reason.cancelled`, and received bytes are dropped.
  public func closeRead() { channel.closeRead() }

  /// Begins TLS on the open connection, and returns when the server's certificate has been verified.
  ///
  /// Refused with `APIError.Reason.misconfigured` while a read waits, or bytes were received and not read: an attacker may
  /// have injected bytes before TLS, and they must not count as protected. A handshake that fails, that takes longer than
  /// `limit` (`APIError.Reason.connectTimeout`) or whose task is cancelled ends the connection. A transport without
  /// `TransportCapabilities.startTLS` refuses it with `APIError.Reason.unsupportedCapability`, and the connection
  /// continues without TLS: check the capability before `open`.
  /// - Parameters:
  ///   - host: The name that the certificate must have.
  ///   - limit: How long the handshake may take; the default is 10 seconds.
  public func startTLS(host: String, within limit: Duration = .seconds(10)) async throws(APIError) {
    try await channel.startTLS(host, within: limit)
  }

  /// Ends the connection at once.
  public func close() { channel.close() }
}
