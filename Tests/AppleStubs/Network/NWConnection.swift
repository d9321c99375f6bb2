// swift-format-ignore-file
// The interface of the module Network, https://developer.apple.com/documentation/network/nwconnection
public import Dispatch
public import Foundation

@available(macOS 10.14, iOS 12, tvOS 12, watchOS 5, *)
public final class NWConnection {
  /// https://developer.apple.com/documentation/network/nwconnection/state-swift.enum
  public enum State: Sendable, Equatable { case setup, waiting(NWError), preparing, ready, failed(NWError), cancelled }
  /// https://developer.apple.com/documentation/network/nwconnection/contentcontext
  public final class ContentContext: Sendable {
    public static let defaultMessage = ContentContext()
    public static let finalMessage = ContentContext()
    public static let defaultStream = ContentContext()
    private init() {}
  }
  /// https://developer.apple.com/documentation/network/nwconnection/sendcompletion
  public enum SendCompletion { case contentProcessed(@Sendable (_ error: NWError?) -> Void), idempotent }
  /// https://developer.apple.com/documentation/network/nwconnection/establishmentreport/usedproxy
  @available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
  public struct EstablishmentReport: Sendable { public let usedProxy: Bool }

  public init(to endpoint: NWEndpoint, using parameters: NWParameters) { fatalError() }
  public var stateUpdateHandler: (@Sendable (_ state: State) -> Void)? { get { fatalError() } set { fatalError() } }
  public var viabilityUpdateHandler: (@Sendable (_ isViable: Bool) -> Void)? { get { fatalError() } set { fatalError() } }
  public func start(queue: DispatchQueue) { fatalError() }
  public func cancel() { fatalError() }
  public func forceCancel() { fatalError() }
  /// https://developer.apple.com/documentation/network/nwconnection/receive(minimumincompletelength:maximumlength:completion:)
  public func receive(minimumIncompleteLength: Int, maximumLength: Int, completion: @escaping @Sendable (_ content: Data?, _ contentContext: ContentContext?, _ isComplete: Bool, _ error: NWError?) -> Void) { fatalError() }
  /// https://developer.apple.com/documentation/network/nwconnection/send(content:contentcontext:iscomplete:completion:)-5ecuz
  public func send(content: Data?, contentContext: ContentContext = .defaultMessage, isComplete: Bool = true, completion: SendCompletion) { fatalError() }
  /// https://developer.apple.com/documentation/network/nwconnection/requestestablishmentreport(queue:completion:)
  @available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
  public func requestEstablishmentReport(queue: DispatchQueue, completion: @escaping @Sendable (EstablishmentReport?) -> Void) { fatalError() }
}

/// https://developer.apple.com/documentation/network/nwerror
@available(macOS 10.14, iOS 12, tvOS 12, watchOS 5, *)
public enum NWError: Error, Sendable, Equatable {
  case posix(POSIXErrorCode)
  // A `DNSServiceErrorType` of dns_sd.h
  case dns(Int32)
  // A status of Security/SecBase.h
  case tls(Int32)
}

/// https://developer.apple.com/documentation/network/nwendpoint
@available(macOS 10.14, iOS 12, tvOS 12, watchOS 5, *)
public enum NWEndpoint: Sendable, Hashable {
  case hostPort(host: Host, port: Port)
  /// https://developer.apple.com/documentation/network/nwendpoint/host
  public struct Host: Sendable, Hashable { public init(_ string: String) { fatalError() } }
  /// https://developer.apple.com/documentation/network/nwendpoint/port
  public struct Port: Sendable, Hashable, ExpressibleByIntegerLiteral {
    public init?(rawValue: UInt16) { fatalError() }
    public init(integerLiteral value: UInt16) { fatalError() }
  }
}
