extension APIService {
  /// What the service stores under the names of members without effect, a sentence each; see ``Statement``.
  package var lostStatements: [String] {
    let (identity, wire, cache, admission) = (identity, wire, cache, admission)
    let statements = [
      Statement("apiVersion", apiVersion), Statement("identity", identity), Statement("wire", wire),
      Statement("cache", cache), Statement("admission", admission),
      Statement("businessErrors", businessErrors),
      Statement("signer", identity.signer, at: "identity: ServiceIdentity(signer:)"),
      Statement("authenticator", identity.authenticator, at: "identity: ServiceIdentity(authenticator:)"),
      Statement("clock", identity.clock, at: "identity: ServiceIdentity(clock:)"),
      Statement("verifier", identity.verifier, at: "identity: ServiceIdentity(verifier:)"),
      Statement("client", wire.client, at: "wire: WireOptions(client:)"),
      Statement("parameterEncoding", wire.parameterEncoding, at: "wire: WireOptions(parameterEncoding:)"),
      Statement("timeouts", wire.timeouts, at: "wire: WireOptions(timeouts:)"),
      Statement("decoders", wire.decoders, at: "wire: WireOptions(decoders:)"),
      Statement("requestIDField", wire.requestIDField, at: "wire: WireOptions(requestIDField:)"),
      Statement("loadOptions", wire.loadOptions, at: "wire: WireOptions(loadOptions:)"),
      Statement("cipher", wire.cipher, at: "wire: WireOptions(cipher:)"),
      Statement("store", cache.store, at: "cache: CacheOptions(store:)"),
      Statement("partition", cache.partition, at: "cache: CacheOptions(partition:)"),
      Statement("origin", cache.origin, at: "cache: CacheOptions(origin:)"),
      Statement(
        "volatileParameters", cache.volatileParameters, at: "cache: CacheOptions(volatileParameters:)"),
      Statement("retryPolicy", admission.retryPolicy, at: "admission: AdmissionOptions(retryPolicy:)"),
      Statement("networkGate", admission.networkGate, at: "admission: AdmissionOptions(networkGate:)"),
      Statement("network", admission.network, at: "admission: AdmissionOptions(network:)"),
      Statement("requestRate", admission.requestRate, at: "admission: AdmissionOptions(requestRate:)"),
      Statement("hostLimits", admission.hostLimits, at: "admission: AdmissionOptions(hostLimits:)"),
      Statement("breaker", admission.breaker, at: "admission: AdmissionOptions(breaker:)"),
      Statement("hosts", admission.hosts, at: "admission: AdmissionOptions(hosts:)"),
    ]
    return statements.faults(of: self, of: "APIService")
  }
}
