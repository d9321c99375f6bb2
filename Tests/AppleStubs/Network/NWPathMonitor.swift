// swift-format-ignore-file
// https://developer.apple.com/documentation/network/nwpathmonitor
public import Dispatch

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
public struct NWPath: Sendable, Equatable {
  public enum Status: Sendable { case satisfied, unsatisfied, requiresConnection }
  public let status: Status
  public let isExpensive: Bool
  public let isConstrained: Bool
  public let availableInterfaces: [NWInterface]
  public let gateways: [NWEndpoint]
  public func usesInterfaceType(_ type: NWInterface.InterfaceType) -> Bool { fatalError() }
}

/// https://developer.apple.com/documentation/network/nwinterface
public struct NWInterface: Sendable, Equatable {
  public let name: String
  public enum InterfaceType: Sendable { case other, wifi, cellular, wiredEthernet, loopback }
}
/// https://developer.apple.com/documentation/network/nwendpoint
public enum NWEndpoint: Sendable, Hashable { case url(String) }
