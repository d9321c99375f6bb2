extension APIService {
  /// What the service stores under the names of members without effect, a sentence each; see ``StatedMember``.
  package var lostStatements: [String] {
    let (identity, wire, cache, admission) = (identity, wire, cache, admission)
    let statements = [
      StatedMember("apiVersion", apiVersion), StatedMember("identity", identity), StatedMember("wire", wire),
      StatedMember("cache", cache), StatedMember("admission", admission),
      StatedMember("businessErrors", businessErrors),
      StatedMember("signer", identity.signer, in: "identity: ServiceIdentity"),
      StatedMember("authenticator", identity.authenticator, in: "identity: ServiceIdentity"),
      StatedMember("clock", identity.clock, in: "identity: ServiceIdentity"),
      StatedMember("verifier", identity.verifier, in: "identity: ServiceIdentity"),
      StatedMember("client", wire.client, in: "wire: WireOptions"),
      StatedMember("parameterEncoding", wire.parameterEncoding, in: "wire: WireOptions"),
      StatedMember("timeouts", wire.timeouts, in: "wire: WireOptions"),
      StatedMember("decoders", wire.decoders, in: "wire: WireOptions"),
      StatedMember("requestIDField", wire.requestIDField, in: "wire: WireOptions"),
      StatedMember("loadOptions", wire.loadOptions, in: "wire: WireOptions"),
      StatedMember("cipher", wire.cipher, in: "wire: WireOptions"),
      StatedMember("store", cache.store, in: "cache: CacheOptions"),
      StatedMember("partition", cache.partition, in: "cache: CacheOptions"),
      StatedMember("origin", cache.origin, in: "cache: CacheOptions"),
      StatedMember(
        "volatileParameters", cache.volatileParameters, in: "cache: CacheOptions"),
      StatedMember("retryPolicy", admission.retryPolicy, in: "admission: AdmissionOptions"),
      StatedMember("networkGate", admission.networkGate, in: "admission: AdmissionOptions"),
      StatedMember("network", admission.network, in: "admission: AdmissionOptions"),
      StatedMember("requestRate", admission.requestRate, in: "admission: AdmissionOptions"),
      StatedMember("hostLimits", admission.hostLimits, in: "admission: AdmissionOptions"),
      StatedMember("breaker", admission.breaker, in: "admission: AdmissionOptions"),
      StatedMember("hosts", admission.hosts, in: "admission: AdmissionOptions"),
    ]
    return statements.faults(of: self, of: "APIService")
  }
}
