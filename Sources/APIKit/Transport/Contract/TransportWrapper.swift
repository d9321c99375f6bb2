/// A transport that sends by another one and follows each exchange to its end.
///
/// What opens connections of its own by the wrapped transport, such as a WebSocket, has its exchanges followed as well.
package protocol TransportWrapper: HTTPTransport {
  /// What it sends by.
  var base: any HTTPTransport { get }
  /// Called where an exchange starts: its completion, with what the wrapper does at the end.
  func follow(_ exchange: HTTPExchange, _ completion: @escaping Completion) -> Completion
}

extension TransportWrapper {
  package var capabilities: TransportCapabilities { base.capabilities }
  package var headers: HTTPHeaders { base.headers }
  package var caller: String { base.caller }
  package var ignoresCaches: Bool { base.ignoresCaches }
  package var loadOptions: LoadOptions { base.loadOptions }

  package func start(
    _ exchange: HTTPExchange, completion: @escaping Completion
  ) -> any CancellableOperation {
    base.start(exchange, completion: follow(exchange, completion))
  }
}

extension HTTPTransport {
  /// The transport that sends in the end: itself, or the one that is wrapped.
  private var innermost: any HTTPTransport {
    var transport: any HTTPTransport = self
    while let wrapper = transport as? any TransportWrapper { transport = wrapper.base }
    return transport
  }

  /// What opens connections of bytes for it: the transport itself, or the one that it wraps; nil when that opens none.
  package var wires: (any WireTransport)? { innermost as? any WireTransport }

  /// What opens WebSockets by the system for it; nil when there is no such thing.
  package var messageWires: (any MessageTransport)? { innermost as? any MessageTransport }

  /// What opens connections ahead for it: the transport itself, or the one that it wraps; nil when that opens none.
  var connector: (any ConnectingTransport)? { innermost as? any ConnectingTransport }

  /// The completion of an exchange that is not started by the transport, with what its wrappers do at the end.
  package func followed(_ exchange: HTTPExchange, _ completion: @escaping Completion) -> Completion {
    guard let wrapper = self as? any TransportWrapper else { return completion }
    return wrapper.base.followed(exchange, wrapper.follow(exchange, completion))
  }
}
