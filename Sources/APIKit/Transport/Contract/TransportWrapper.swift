/// A transport that sends by another one and follows each exchange to its end.
///
/// Exchanges of connections that the wrapped transport opens, such as those of WebSockets, are followed as well.
package protocol TransportWrapper: HTTPTransport {
  /// The wrapped transport.
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

/// A transport that is made with a ``TransportConfiguration``.
package protocol ConfiguredTransport: HTTPTransport {
  /// What it was made with.
  var configuration: TransportConfiguration { get }
  /// Whether that says all that its requests go under; true by default.
  var isDescribedByConfiguration: Bool { get }
}

extension ConfiguredTransport {
  package var isDescribedByConfiguration: Bool { true }
}

extension HTTPTransport {
  /// What the transport that sends in the end was made with; nil for one that is not made with a configuration alone.
  package var madeWith: TransportConfiguration? {
    guard let transport = innermost as? any ConfiguredTransport, transport.isDescribedByConfiguration else {
      return nil
    }
    return transport.configuration
  }

  /// The transport that sends in the end: itself, or the one that is wrapped.
  var innermost: any HTTPTransport {
    var transport: any HTTPTransport = self
    while let wrapper = transport as? any TransportWrapper { transport = wrapper.base }
    return transport
  }

  /// The transport that opens connections of bytes: itself, or the one that it wraps; nil when that opens none.
  package var wires: (any WireTransport)? { innermost as? any WireTransport }

  /// The transport that opens WebSockets by the system; nil when there is none.
  package var messageWires: (any MessageTransport)? { innermost as? any MessageTransport }

  /// The transport that opens connections ahead: itself, or the one that it wraps; nil when that opens none.
  var connector: (any ConnectingTransport)? { innermost as? any ConnectingTransport }

  /// The completion of an exchange that is not started by the transport, with what its wrappers do at the end.
  package func followed(_ exchange: HTTPExchange, _ completion: @escaping Completion) -> Completion {
    guard let wrapper = self as? any TransportWrapper else { return completion }
    return wrapper.base.followed(exchange, wrapper.follow(exchange, completion))
  }
}
