/// What a load landed with: the raw data, the answer it came in, and where that answer came from.
public struct APIResponse: Sendable {
  /// The body, decoded; ``RawData/Kind/missing`` when it was empty or not decoded.
  public var raw: RawData { contents.value.raw }
  /// Status, headers, bytes and metrics of the answer.
  public var http: HTTPResponse { contents.value.http }
  /// Where the answer came from.
  public var provenance: Provenance { contents.value.provenance }
  /// Which API it came from, for which parameters and by which flight. Stamped at the landing; one that was
  /// made by hand says nothing.
  public internal(set) var source: ReformSource {
    get { contents.value.source }
    set { contents.value.source = newValue }
  }
  /// What reformers have made of it, see `data(with:)`.
  var reforms: ReformMemo { contents.value.reforms }

  private struct Contents: Sendable {
    let raw: RawData
    let http: HTTPResponse
    let provenance: Provenance
    var source: ReformSource
    let reforms = ReformMemo()
  }
  private var contents: Boxed<Contents>

  /// Makes a response.
  public init(
    raw: RawData, http: HTTPResponse, provenance: Provenance = .network,
    source: ReformSource = ReformSource(managerType: Never.self)
  ) {
    contents = Boxed(Contents(raw: raw, http: http, provenance: provenance, source: source))
  }

  /// The flight that landed with it; nil for one that was made by hand.
  public var flightID: FlightID? { source.flightID }

  /// The status code.
  public var status: Int { http.status }
  /// The header fields.
  public var headers: HTTPHeaders { http.headers }
  /// The body as received, after content decoding and the service's own transform.
  public var bytes: [UInt8] { http.bytes }
}

/// Where an answer came from.
public enum Provenance: Sendable, Hashable {
  /// From the server, for this load.
  case network
  /// From the memory cache, stored so long ago.
  case memory(age: Duration)
  /// From the disk cache, stored so long ago.
  case disk(age: Duration)
  /// From the cache, confirmed by the server for this load.
  case revalidated
  /// From the cache though no longer fresh, or in place of a server that could not be reached; stored so
  /// long ago.
  case stale(age: Duration)
  /// From the service's fallback, in the place of a server that cannot be asked.
  case fallback
}
