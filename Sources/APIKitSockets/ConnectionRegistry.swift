import APIKit

/// A socket or stream that ``ConnectionRegistry`` knows.
@MainActor public protocol RegisteredConnection: AnyObject, Sendable {
  /// The object that the connection works for.
  var beneficiary: AnyObject? { get }
  /// The tags.
  var tags: Set<String> { get }
  /// The name of the service; nil before it was opened.
  var connectedService: String? { get }
  /// Whether something is under way.
  var isConnected: Bool { get }
  /// Ends the connection at once.
  func cancel()
}

extension BaseSocketManager {
  /// The owner, or the delegate where none is set.
  public var beneficiary: AnyObject? { owner ?? delegate }
  /// Whether something is under way.
  public var isConnected: Bool { state.isActive }
}

/// All sockets and streams of the process that are open or opening, to list or cancel them.
public final class ConnectionRegistry: Sendable {
  /// The registry of the process.
  public static let shared = ConnectionRegistry()

  private struct RegistryEntry: Sendable {
    weak var connection: (any RegisteredConnection)?
  }
  private let entries = Mutex<[ObjectIdentifier: RegistryEntry]>([:])

  init() {}

  /// A selection of connections.
  @MainActor public struct Query {
    let matches: @MainActor (any RegisteredConnection) -> Bool

    /// Every connection.
    public static var all: Query { Query { _ in true } }
    /// Those whose manager has this owner, or this delegate where no owner is set.
    public static func owner(_ owner: AnyObject) -> Query { Query { $0.beneficiary === owner } }
    /// Those of one service, by its name.
    public static func service(_ name: String) -> Query { Query { $0.connectedService == name } }
    /// Those with a tag.
    public static func tag(_ tag: String) -> Query { Query { $0.tags.contains(tag) } }
  }

  /// The selected connections that are open or opening.
  @MainActor public func connections(_ query: Query = .all) -> [any RegisteredConnection] {
    entries.withLock { Array($0.values) }.compactMap(\.connection).filter {
      $0.isConnected && query.matches($0)
    }
  }

  /// Cancels the selected connections; each tells its delegate that it has ended.
  ///
  /// - Returns: The number of cancelled connections.
  @MainActor @discardableResult public func cancel(_ query: Query) -> Int {
    let connections = connections(query)
    for connection in connections { connection.cancel() }
    return connections.count
  }

  @MainActor func add(_ connection: any RegisteredConnection) {
    entries.withLock { $0[ObjectIdentifier(connection)] = RegistryEntry(connection: connection) }
  }

  func remove(_ connection: ObjectIdentifier) {
    _ = entries.withLock { $0.removeValue(forKey: connection) }
  }
}
