public import APIKit

/// What the document does not say of the service; it is written in the module of the service.
extension Shop {
  private static let transport = Mutex<any HTTPTransport>(DefaultTransport.shared)

  /// Sends the loads that follow by another transport.
  public static func use(_ transport: any HTTPTransport) { Self.transport.withLock { $0 = transport } }

  /// Sends by the transport of ``use(_:)``.
  public var wire: WireOptions { WireOptions(client: HTTPClient(transport: Self.transport.withLock { $0 })) }
}
