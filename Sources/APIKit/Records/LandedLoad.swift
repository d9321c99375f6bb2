/// The summary of one finished load, for `FlightStatistics` of `APIKitReports` and for sinks.
///
/// A value of some 300 bytes. It names the API by its template, never by the path that was filled in, and holds no
/// parameter, header field or body.
public struct LandedLoad: Sendable {
  /// An API as statistics tell it from others.
  public struct API: Sendable, Hashable, CustomStringConvertible {
    /// The service's name.
    public let service: String
    /// The HTTP method.
    public let method: HTTPMethod
    /// The API's name as the manager states it.
    public let name: String

    /// Names an API.
    public init(service: String, method: HTTPMethod, name: String) {
      self.service = service
      self.method = method
      self.name = name
    }

    /// `GET homes/{id} (Homes)`.
    public var description: String { "\(method) \(name) (\(service))" }
  }

  /// How a load ended.
  public enum Outcome: String, Sendable, Hashable, CaseIterable {
    /// With a response.
    case succeeded
    /// With an error.
    case failed
    /// By its caller, its takeoff policy, or the release of its manager. It is neither a success nor a failure.
    case cancelled
  }

  /// The origin of a load's response.
  public enum Origin: String, Sendable, Hashable, CaseIterable {
    /// A wire call of its own.
    case network
    /// The wire call of an identical load.
    case joined
    /// The wire call of another load's batch.
    case batched
    /// The memory cache.
    case memory
    /// The disk cache.
    case disk
    /// The cache, confirmed by the server.
    case revalidated
    /// The cache, although no longer fresh, or in place of a failure.
    case stale
    /// The service's fallback.
    case fallback
    /// The load ended before anything was sent.
    case unsent
  }

  /// The flight.
  public let flight: FlightID
  /// The API.
  public let api: API
  /// The host of the last request; nil when nothing was sent.
  public let host: String?
  /// The address of the last connection, whether or not the server responded; nil when there was none or the transport
  /// does not report it.
  public let address: String?
  /// The status of the last response; nil when there was none.
  public let status: Int?
  /// How it ended.
  public let outcome: Outcome
  /// The error's ``APIError/label``, or the name of the ``CancellationReason``; nil for a success.
  public let reason: String?
  /// The origin of its response.
  public let origin: Origin
  /// When `load` was called, in seconds since 1970 by the wall clock, for people.
  public let secondsSince1970: Double
  /// When it landed, by the clock that is never set back. Loads are ordered and measured by it.
  public let landedAt: Duration
  /// The time from the call of `load` to the landing.
  public let duration: Duration
  /// Bytes of the request bodies on the wire, all attempts and redirects together, broken ones included.
  public let bytesSent: Int64
  /// Bytes of the response bodies on the wire, all attempts and redirects together, broken ones included, before content
  /// decoding. Of a stream those that came with its head: the load lands before the rest.
  public let bytesReceived: Int64
  /// Bytes of the body that landed, after content decoding; nil when none did.
  public let bytesDecoded: Int64?

  private let firstAttempt: Duration?
  private let laterAttempts: [Duration]

  /// The duration of each attempt, its redirects included, in order; empty when none was made.
  public var attempts: [Duration] { (firstAttempt.map { [$0] } ?? []) + laterAttempts }
}

extension LandedLoad {
  /// What the steps have recorded, read once.
  init(
    _ flight: FlightID, _ record: borrowing FlightRecorder.RecorderState, begin: Duration, wallClock: Double,
    landing: FlightLanding, status: Int?, decoded: Int64?
  ) {
    var sums = Sums()
    // What ends on the wire after the landing, such as a cancelled request, is not part of the load.
    let count =
      record.entries.lastIndex { if case .landed = $0.event { true } else { false } } ?? record.entries.count
    let end = count < record.entries.count ? record.entries[count].at : .zero
    record.entries.withUnsafeBufferPointer { entries in
      for index in 0..<count { sums.add(entries[index].event, at: entries[index].at, of: flight) }
    }
    sums.endAttempt(at: end)
    self.flight = flight
    api = API(service: record.service, method: record.method, name: record.apiName)
    (host, address) = (sums.host, sums.address)
    self.status = status ?? sums.status
    secondsSince1970 = wallClock
    duration = end
    landedAt = begin + duration
    (bytesSent, bytesReceived, bytesDecoded) = (sums.sent, sums.received, decoded)
    (firstAttempt, laterAttempts) = (sums.first, sums.later)
    let asked = sums.shared ?? (sums.first == nil ? .unsent : .network)
    switch landing {
    case .succeeded(let provenance):
      (outcome, reason) = (.succeeded, nil)
      origin =
        switch provenance {
        case .network: sums.shared ?? .network
        case .memory: .memory
        case .disk: .disk
        case .revalidated: .revalidated
        case .stale: .stale
        case .fallback: .fallback
        }
    case .failed(let label, _):
      (outcome, reason, origin) = (.failed, label, asked)
    case .cancelled(let why):
      (outcome, reason, origin) = (.cancelled, why, asked)
    }
  }

  /// What the entries of a record add up to.
  private struct Sums {
    var (host, address): (String?, String?)
    var status: Int?
    var (sent, received): (Int64, Int64) = (0, 0)
    var begun: Duration?
    var first: Duration?
    var later: [Duration] = []
    /// Whose wire call it was, where it was not the load's own.
    var shared: Origin?

    mutating func add(_ event: borrowing FlightEvent, at time: Duration, of flight: FlightID) {
      switch event {
      case .attempt(_, let host):
        endAttempt(at: time)
        begun = time
        self.host = host
      case .redirected(_, _, let metrics): add(metrics)
      case .responded(let status, let metrics):
        add(metrics)
        self.status = status
        endAttempt(at: time)
      case .broken(let status, let metrics):
        add(metrics)
        self.status = status ?? self.status
        endAttempt(at: time)
      case .attemptFailed: endAttempt(at: time)
      case .joined: shared = .joined
      case .batched(_, let leader) where leader != flight: shared = .batched
      default: break
      }
    }

    private mutating func add(_ metrics: TransportMetrics) {
      sent += metrics.bytesSent
      received += metrics.bytesReceived
      address = metrics.remoteAddress ?? address
    }

    mutating func endAttempt(at end: Duration) {
      guard let begin = begun else { return }
      begun = nil
      if first == nil { first = end - begin } else { later.append(end - begin) }
    }
  }
}
