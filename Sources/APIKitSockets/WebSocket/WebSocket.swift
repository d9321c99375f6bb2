public import APIKit

/// A WebSocket at a URL, without a class of the application's own: for scripts and prototypes.
///
/// ```swift
/// let socket = try await WebSocket.open("wss://example.com/chat")
/// try socket.send("hello")
/// for try await message in socket.messages() { print(message) }
/// ```
/// It is a ``BaseSocketManager`` with a delegate, pings and limits. It is not opened again when it is lost, and has no
/// credential; an application states both in a class that adopts ``SocketManager``. Keep the object as long as the
/// connection is used: releasing it ends the connection. Isolated to the main actor.
public final class WebSocket: BaseSocketManager, SocketManager {
  /// The server of the URL.
  public let service: URLService
  /// The URL's path.
  public let apiName: String
  /// The header fields of the handshake.
  public let headers: HTTPHeaders
  /// The subprotocols that are offered.
  public let subprotocols: [String]

  /// The messages since the socket opened, for the first caller of ``messages()``.
  private var early: SocketMessages?

  /// Receives messages and the ends of connections. Weak. Set it, or read ``messages()``: until then messages wait.
  public override weak var delegate: (any SocketManagerDelegate)? { didSet { early = nil } }

  private init(_ url: HTTPURL, _ headers: HTTPHeaders, _ subprotocols: [String]) {
    service = URLService(whole: url)
    apiName = url.callName
    (self.headers, self.subprotocols) = (headers, subprotocols)
  }

  /// Opens a WebSocket and returns when it is open. The limit is ``SocketOptions/openLimit``, 10 seconds unless stated.
  ///
  /// - Parameters:
  ///   - url: A URL with the scheme `wss`, `ws`, `https` or `http`.
  ///   - headers: Header fields of the handshake. None by default.
  ///   - subprotocols: The subprotocols to offer, the preferred one first. None by default.
  /// - Throws: `APIError.Reason.invalidURL` for another URL, and what ``SocketManager/opened(_:)`` throws.
  public static func open(
    _ url: String, headers: HTTPHeaders = HTTPHeaders(), subprotocols: [String] = []
  ) async throws(APIError) -> WebSocket {
    let socket = WebSocket(try HTTPURL(ofConnection: url), headers, subprotocols)
    socket.early = socket.laterMessages()
    _ = try await socket.opened()
    return socket
  }

  /// The messages; for the first caller those since the socket opened. Otherwise as ``BaseSocketManager/messages()``.
  public override func messages() -> SocketMessages {
    defer { early = nil }
    return early ?? laterMessages()
  }

  private func laterMessages() -> SocketMessages { super.messages() }
}

/// The server-sent events of a URL, without a class of the application's own: for scripts and prototypes.
///
/// ```swift
/// let prices = try await EventSource.open("https://example.com/prices")
/// for try await event in prices.events() { print(event.data) }
/// ```
/// It is a ``BaseEventStreamManager``. Once it was open, it is opened again when it is lost. Keep the object as long as
/// events are read: releasing it ends the stream, as ``BaseStreamManager/cancel()`` does. Isolated to the main actor.
public final class EventSource: BaseEventStreamManager, EventStreamManager {
  /// The server of the URL.
  public let service: URLService
  /// The URL's path.
  public let apiName: String
  /// The header fields of each request.
  public let headers: HTTPHeaders
  /// Whether a lost stream is opened again.
  public let reconnection: ReconnectPolicy
  /// The events since the stream opened, for the first caller of ``events()``.
  private var early: StreamItems<ServerEvent>?
  private let openers = WaiterQueue<Void, Void>()

  /// Receives the events. Weak. Set it, or read ``events()``: until then events wait.
  public override weak var delegate: (any EventStreamDelegate)? { didSet { early = nil } }

  private init(_ url: HTTPURL, _ headers: HTTPHeaders, _ reconnection: ReconnectPolicy) {
    service = URLService(whole: url)
    apiName = url.callName
    (self.headers, self.reconnection) = (headers, reconnection)
  }

  /// Opens a stream and returns when its response has begun. The limit is ``StreamManager/openLimit``, 30 seconds.
  ///
  /// - Parameters:
  ///   - url: The URL.
  ///   - headers: Header fields of each request. None by default.
  ///   - reconnection: Whether a stream that was open is opened again when it is lost. The default is
  ///     ``ReconnectPolicy/standard``, without end; ``ReconnectPolicy/never`` ends ``events()``.
  /// - Throws: `APIError.Reason.invalidURL`, and what the first connection fails with.
  public static func open(
    _ url: String, headers: HTTPHeaders = HTTPHeaders(), reconnection: ReconnectPolicy = .standard
  ) async throws(APIError) -> EventSource {
    let source = EventSource(try HTTPURL(ofConnection: url), headers, reconnection)
    source.early = source.laterEvents()
    try await source.openers.wait(()) { _ in
      source.open()
    } onGivenUp: { [weak source] _ in
      source?.cancel()
    }
    return source
  }

  /// The events; for the first caller those since the stream opened. Otherwise as ``BaseEventStreamManager/events()``.
  public override func events() -> StreamItems<ServerEvent> {
    defer { early = nil }
    return early ?? laterEvents()
  }

  private func laterEvents() -> StreamItems<ServerEvent> { super.events() }

  override var retriesFirstConnection: Bool { false }

  override func didOpen(with response: HTTPResponse) {
    super.didOpen(with: response)
    openers.resumeAll(.success(()))
  }

  override func didClose(with closing: StreamClosing) {
    super.didClose(with: closing)
    openers.resumeAll(
      .failure(
        closing.error ?? APIError(.transport, .socketNotOpen, "the stream has ended before an event came")))
  }
}

extension HTTPURL {
  /// A URL whose scheme may be that of a WebSocket.
  fileprivate init(ofConnection text: String) throws(APIError) {
    let names = [("wss:", "https:"), ("ws:", "http:")]
    let name = names.first { text.lowercased().hasPrefix($0.0) }
    self = try HTTPURL(name.map { $0.1 + text.dropFirst($0.0.count) } ?? text)
  }

  /// The path as the name of an API.
  fileprivate var callName: String { path == "/" ? "/" : String(path.dropFirst()) }
}
