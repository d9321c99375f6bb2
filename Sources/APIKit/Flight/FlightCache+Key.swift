extension APICall {
  /// The manager's own body, if it has one; nil when it is no bytes in memory.
  var keptBody: [UInt8]? {
    switch body {
    case nil, .empty: []
    case .bytes(let bytes): bytes
    case .file, .stream: nil
    }
  }
}

extension CacheKey {
  /// The key of a call.
  init(_ call: APICall, partition: String, common: Parameters, body: [UInt8]) {
    let service = call.service
    self.init(
      Parts(
        service: service.name, environment: call.environment.name,
        origin: call.cache.origin.map { .name($0) } ?? .url(call.baseURL),
        apiVersion: service.apiVersion, apiName: call.path.map { "path \($0)" } ?? call.apiName,
        method: call.method, partition: partition,
        parameters: common.removing(call.cache.volatileParameters).merging(call.parameters), body: body,
        // A signer's parameters of a link are left out: a link that was signed anew is the same link.
        volatile: call.terms.caching.traits.volatileParameters.union(
          call.identity.signer?.volatileParameters ?? [])))
  }
}

extension FlightCache {
  /// The server has been asked behind a landing.
  func endRefresh() { if let key { cache.endRefresh(of: key) } }

  /// Throws for a load that takes only what is stored, where nothing can be.
  static func refuseStoredOnly(_ call: APICall) throws(APIError) {
    guard call.terms.caching.use == .storedOnly else { return }
    throw APIError(
      .cache, .notCached, "the load takes only what is stored, and nothing of this API is",
      context: call.context())
  }
}
