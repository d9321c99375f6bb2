/// The reason for which a load waits.
///
/// ``FlightEvent/waits(for:)`` tells it when the wait begins. New cases may be added, so a `switch` needs a default.
public enum FlightWait: Sendable, Hashable {
  /// Its takeoff policy holds it back, e.g. `queue` or `debounce`; with the policy's name.
  case takeoff(policy: String)
  /// A network that the network gate accepts.
  case network
  /// The sign-in of its service, or the renewal of the credential.
  case signIn
  /// The client's own rate of requests; with the counted scope and the rate, as text.
  case rate(String)
  /// A slot at the host.
  case slot(host: String)
  /// The wire call of another load, which is identical or goes first; with that load.
  case sharedCall(FlightID)
  /// Other loads of its batch, and then the call of the batch.
  case batch
  /// The servers of the service's pool; with the pool's name.
  case servers(of: String)
  /// The service's error hook; with its reason.
  case hook(String)
  /// The next attempt, which begins after this time.
  case backoff(Duration)
  /// Its caller, who has suspended it.
  case caller
}

extension FlightWait: CustomStringConvertible {
  /// The reason in a few words.
  public var description: String {
    switch self {
    case .takeoff(let policy): "its takeoff policy (\(policy))"
    case .network: "a network"
    case .signIn: "the sign-in"
    case .rate(let rate): "the rate of \(rate)"
    case .slot(let host): "a slot at \(host)"
    case .sharedCall(let leader): "the call of flight \(leader)"
    case .batch: "its batch"
    case .servers(let pool): "the servers of \(pool)"
    case .hook(let reason): "the error hook of its service: \(reason)"
    case .backoff(let wait): "the next attempt, \(wait.shortText)"
    case .caller: "its caller"
    }
  }
}
