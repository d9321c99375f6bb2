import Synchronization

/// The server's time, reckoned from the device's clock and what is known of their difference.
///
/// Signatures with a time window fail on devices whose clock is wrong. The flight teaches this clock from
/// the answers of the server, and every signature asks it. One per service; safe on any thread.
public final class ServerClock: Sendable {
  private let device: @Sendable () -> Double
  private let state = Mutex<Double>(0)

  /// Makes a clock over the system's that has learned nothing.
  public convenience init() { self.init { WallClock.now } }

  /// Makes a clock over another that has learned nothing.
  ///
  /// - Parameter device: The device's time in seconds since 1970; called on any thread.
  public init(device: @escaping @Sendable () -> Double) { self.device = device }

  /// How far the server is ahead of the device, in seconds; negative when it is behind.
  public var offset: Double {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }

  /// The server's time in whole seconds since 1970.
  public var secondsSince1970: Int { Int((device() + offset).rounded(.down)) }

  /// Learns that the server's time is this one now.
  public func learn(serverSecondsSince1970 seconds: Double) { offset = seconds - device() }
}
