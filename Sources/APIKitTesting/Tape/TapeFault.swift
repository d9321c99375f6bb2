import APIKit

/// A failure that a ``TapeTransport`` simulates, with the label of the real failure.
///
/// ```swift
/// transport.faults = [
///   TapeFault(.failure(.connectionLost), of: .api("homes/{id}"), times: 2),
///   TapeFault(.status(503), chance: 0.1, seed: 7),
/// ]
/// ```
public struct TapeFault: Sendable {
  /// The effect of a fault on a request.
  public enum Effect: Sendable {
    /// Another result than the recorded one: `.failure(.unknownHost)`, `.dropped`, `.silence`, `.status(503)`.
    case other(StubResponse)
    /// The connection ends after this many bytes of the recorded body: `transport.truncated-body`.
    case truncated(after: Int)
    /// The recorded response is delayed by this time. Beyond a timeout the request fails with that
    /// timeout.
    case delayed(Duration)
  }

  /// The requests that a fault may apply to.
  public enum Scope: Sendable, Hashable {
    /// All requests.
    case all
    /// The requests of an API, by its name as the manager states it.
    case api(String)
    /// The requests to a path; a path that ends with `*` means every path with that beginning.
    case path(String)
  }

  /// The effect.
  public var effect: Effect
  /// The requests that it may apply to.
  public var scope: Scope
  /// The number of these requests that are skipped first; 0 by default.
  public var skipped: Int
  /// The number of requests that it applies to; nil, the default, means all.
  public var times: Int?
  /// The probability for each request, from 0 to 1; 1 by default.
  public var chance: Double
  /// The seed of ``chance``. The same seed and order of requests give the same failures.
  public var seed: UInt64
  /// The time since the transport was made in which it applies; nil, the default, means always.
  public var window: Range<Duration>?

  /// Makes a fault.
  public init(
    _ effect: Effect, of scope: Scope = .all, skipping skipped: Int = 0, times: Int? = nil,
    chance: Double = 1,
    seed: UInt64 = 1, window: Range<Duration>? = nil
  ) {
    self.effect = effect
    self.scope = scope
    self.skipped = skipped
    self.times = times
    self.chance = chance
    self.seed = seed
    self.window = window
  }

  /// A fault with a scripted response or failure.
  public init(
    _ other: StubResponse, of scope: Scope = .all, skipping skipped: Int = 0, times: Int? = nil,
    chance: Double = 1, seed: UInt64 = 1, window: Range<Duration>? = nil
  ) {
    self.init(
      .other(other), of: scope, skipping: skipped, times: times, chance: chance, seed: seed, window: window)
  }
}

/// What a fault has done so far.
struct TapeFaultState: Sendable {
  let fault: TapeFault
  private var seen = 0
  private var done = 0
  private var random: UInt64

  init(_ fault: TapeFault) {
    self.fault = fault
    random = fault.seed
  }

  /// Whether it happens to a request, which is counted.
  mutating func strikes(_ request: HTTPRequest, api: String?, at time: Duration) -> Bool {
    switch fault.scope {
    case .all: break
    case .api(let name): guard api == name else { return false }
    case .path(let path):
      let isMatch =
        path.hasSuffix("*") ? request.url.path.hasPrefix(path.dropLast()) : request.url.path == path
      guard isMatch else { return false }
    }
    if let window = fault.window, !window.contains(time) { return false }
    seen += 1
    guard seen > fault.skipped, done < fault.times ?? .max, draw() < fault.chance else { return false }
    done += 1
    return true
  }

  /// A number from 0 to 1 (SplitMix64).
  private mutating func draw() -> Double {
    random &+= 0x9E37_79B9_7F4A_7C15
    var mixed = random
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return Double((mixed ^ (mixed >> 31)) >> 11) / Double(1 << 53)
  }
}
