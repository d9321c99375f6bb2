// swift-format-ignore-file
// The interface of the module Network, https://developer.apple.com/documentation/network/nwpathmonitor
public import Dispatch

@available(macOS 10.14, iOS 12, tvOS 12, watchOS 5, *)
public final class NWPathMonitor: Sendable {
  public init() {}
  public init(requiredInterfaceType: NWInterface.InterfaceType) {}
  public var pathUpdateHandler: (@Sendable (_ newPath: NWPath) -> Void)? { get { fatalError() } set { fatalError() } }
  public var currentPath: NWPath { fatalError() }
  public var queue: DispatchQueue? { fatalError() }
  public func start(queue: DispatchQueue) { fatalError() }
  public func cancel() { fatalError() }
}

/// https://developer.apple.com/documentation/network/nwpath
@available(macOS 10.14, iOS 12, tvOS 12, watchOS 5, *)
public struct NWPath: Sendable, Equatable {
  public enum Status: Sendable { case satisfied, unsatisfied, requiresConnection }
  public let status: Status
  public let isExpensive: Bool
  @available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *) public let isConstrained: Bool
  public let availableInterfaces: [NWInterface]
  @available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *) public let gateways: [NWEndpoint]
  public func usesInterfaceType(_ type: NWInterface.InterfaceType) -> Bool { fatalError() }
}

/// https://developer.apple.com/documentation/network/nwinterface
@available(macOS 10.14, iOS 12, tvOS 12, watchOS 5, *)
public struct NWInterface: Sendable, Equatable {
  public let name: String
  public enum InterfaceType: Sendable { case other, wifi, cellular, wiredEthernet, loopback }
}
