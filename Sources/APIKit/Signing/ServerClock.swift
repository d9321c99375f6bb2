/// The server's time, estimated from the device's clock and the measured difference.
///
/// Signatures with a time window fail on devices whose clock is wrong. When a server refuses a signature
/// for its time, the flight corrects this clock by the `Date` of the response; every signature reads it.
/// One per service; safe on any thread.
public final class ServerClock: Sendable {
  private let device: @Sendable () -> Double
  private let state = Mutex<Double>(0)

  /// Makes a clock based on the system's, with a difference of zero.
  public convenience init() { self.init { WallClock.now } }

  /// Makes a clock based on another, with a difference of zero.
  ///
  /// - Parameter device: Returns the device's time in seconds since 1970. Called on any thread.
  public init(device: @escaping @Sendable () -> Double) { self.device = device }

  /// The seconds that the server is ahead of the device; negative when it is behind.
  public var offset: Double {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }

  /// The server's time in whole seconds since 1970.
  public var secondsSince1970: Int { Self.whole(device() + offset) }

  /// A server may state any number, and no `Int` holds most of them.
  static func whole(_ seconds: Double) -> Int { Int(max(-1e15, min(seconds.rounded(.down), 1e15))) }

  /// Sets the server's time at this moment.
  public func learn(serverSecondsSince1970 seconds: Double) { offset = seconds - device() }
}
