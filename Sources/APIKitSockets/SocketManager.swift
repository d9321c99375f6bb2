public import APIKit

/// The statements of a subclass of ``BaseSocketManager`` about its WebSocket.
///
/// Only `service` and `apiName` are required; the comment of every other member names its default. The properties are
/// read on the main actor whenever a connection is opened. The base URL of the service begins with `https` or `http`, which
/// stand for `wss` and `ws`; header fields that the handshake consists of are refused.
///
/// ```swift
/// final class PriceSocketManager: BaseSocketManager, SocketManager {
///   let service = Homes.shared
///   let apiName = "prices"
/// }
/// ```
@MainActor public protocol SocketManager: BaseSocketManager, EndpointManager {
  /// The subprotocols to offer, the preferred one first. The default is none.
  var subprotocols: [String] { get }
  /// Limits, pings and compression. The default is that of ``SocketOptions``.
  var options: SocketOptions { get }
  /// Whether a lost connection is opened again. The default is ``ReconnectPolicy/never``.
  var reconnection: ReconnectPolicy { get }
  /// Called before a lost connection is opened again. May change the request, e.g. to resume where the last one
  /// ended. The default changes nothing.
  func prepare(_ reconnection: inout SocketReconnection)
}

extension SocketManager {
  /// None.
  public var subprotocols: [String] { [] }
  /// The default options.
  public var options: SocketOptions { SocketOptions() }
  /// Never.
  public var reconnection: ReconnectPolicy { .never }
  /// Changes nothing.
  public func prepare(_ reconnection: inout SocketReconnection) {}
}

/// The request for another connection of a socket or a stream.
public struct SocketReconnection: Sendable {
  /// The parameters: those of the connection before.
  public var parameters: Parameters
  /// Header fields beside the manager's; none at first, later those of the connection before.
  public var headers: HTTPHeaders
  /// The end of the last connection.
  public let lastClosing: SocketClosing
  /// The number of failures in a row, this loss included.
  public let failures: Int
}

extension SocketManager {
  /// Opens the socket; the delegate gets the events.
  ///
  /// A socket that is open, or opens, is closed first, and opened again after its `didClose`. Of several calls meanwhile the
  /// last one is opened, and each of the others gets a `didClose` with `APIError.Reason.cancelled`.
  /// - Parameter parameters: Sent in the URL. None by default.
  public func open(_ parameters: Parameters = Parameters()) { begin(parameters) }

  /// Opens the socket and returns when it is open; throws the error that prevented it.
  ///
  /// If the task is cancelled meanwhile, the socket ends as by ``BaseSocketManager/cancel()``, and
  /// `APIError.Reason.cancelled` is thrown. ``SocketOptions/openLimit`` limits each connection, and ``reconnection`` their
  /// number.
  public func opened(_ parameters: Parameters = Parameters()) async throws(APIError) -> SocketOpening {
    let waiting = openers ?? WaiterQueue()
    openers = waiting
    return try await waiting.wait(()) {
      begin(parameters, opener: $0)
    } onGivenUp: { [weak self] opener in
      self?.giveUpOpening(of: opener)
    }
  }
}

// A subclass that does not adopt `SocketManager` has no `open`; the compiler finds this instead.
extension BaseSocketManager {
  /// Not available: adopt ``SocketManager``.
  @available(*, unavailable, message: "a subclass of BaseSocketManager opens once it adopts SocketManager")
  public func open() {
    // The compiler refuses every call.
    fatalError("unavailable, so never called")
  }
}

extension SocketManager {
  /// What the manager and its service state about one connection, and the transport that opens it.
  func opening<Transport: HTTPTransport>(
    _ asked: (parameters: Parameters, headers: HTTPHeaders), of user: LoadUser?,
    over transport: (any HTTPTransport) -> Transport
  ) throws(APIError) -> (call: OpeningCall, transport: Transport) {
    try options.validate()
    var headers = headers
    headers.merge(asked.headers)
    var expectation = ResponseExpectation(statuses: 101..<102, format: .bytes)
    expectation.requiresBody = false
    return try opening(
      asked.parameters, headers: headers, expectation: expectation, for: user, time: time, over: transport)
  }

  func checkStatements() throws(APIError) {
    try checkStatements(
      [
        StatedMember("subprotocols", subprotocols), StatedMember("options", options),
        StatedMember("reconnection", reconnection),
      ], of: "SocketManager", below: BaseSocketManager.self)
  }
}
