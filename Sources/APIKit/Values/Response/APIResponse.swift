/// The response of a load: its raw data, the HTTP response, and its provenance.
public struct APIResponse: Sendable {
  /// The body, decoded; ``RawData/Kind/missing`` when it was empty or not decoded.
  public var raw: RawData { contents.value.raw }
  /// Status, header fields, bytes and metrics.
  public var http: HTTPResponse { contents.value.http }
  /// The provenance: the server, a cache, or the service's fallback.
  public var provenance: Provenance { contents.value.provenance }
  /// The API, parameters and flight that the response belongs to. Set at the landing; empty for a response
  /// that was made by hand.
  public internal(set) var source: ReformSource {
    get { contents.value.source }
    set {
      // What a reformer made for another load may be of that load's parameters.
      if !newValue.isAlike(source) { contents.value.reforms = ReformMemo() }
      contents.value.source = newValue
    }
  }
  /// The outputs of reformers for this response, see `data(with:)`.
  var reforms: ReformMemo { contents.value.reforms }

  private struct Contents: Sendable {
    let raw: RawData
    let http: HTTPResponse
    let provenance: Provenance
    var source: ReformSource
    var reforms = ReformMemo()
  }
  private var contents: CopyOnWrite<Contents>

  /// Makes a response.
  public init(
    raw: RawData, http: HTTPResponse, provenance: Provenance = .network,
    source: ReformSource = ReformSource(managerType: Never.self)
  ) {
    contents = CopyOnWrite(Contents(raw: raw, http: http, provenance: provenance, source: source))
  }

  /// The flight that landed with it; nil for a response that was made by hand.
  public var flightID: FlightID? { source.flightID }

  /// The status code.
  public var status: Int { http.status }
  /// The header fields.
  public var headers: HTTPHeaders { http.headers }
  /// The body, after content decoding and the service's own transformation.
  public var bytes: [UInt8] { http.bytes }
}

/// The provenance of a response.
public enum Provenance: Sendable, Hashable {
  /// From the server, for this load.
  case network
  /// From the memory cache; the age is the time since it was stored.
  case memory(age: Duration)
  /// From the disk cache; the age is the time since it was stored.
  case disk(age: Duration)
  /// From the cache, confirmed by the server for this load.
  case revalidated
  /// From the cache although no longer fresh, or in place of a failure; the age is the time since it was
  /// stored.
  case stale(age: Duration)
  /// From the service's fallback, because the request could not be sent.
  case fallback
}
