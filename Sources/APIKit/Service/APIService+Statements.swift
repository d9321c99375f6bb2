extension APIService {
  /// What the service stores under the names of members without effect, a sentence each; see ``StatedMember``.
  package var lostStatements: [String] {
    let (identity, wire, cache, admission) = (identity, wire, cache, admission)
    let statements = [
      StatedMember("apiVersion", apiVersion), StatedMember("identity", identity), StatedMember("wire", wire),
      StatedMember("cache", cache), StatedMember("admission", admission),
      StatedMember("businessErrors", businessErrors),
      StatedMember("signer", identity.signer, at: "identity: ServiceIdentity(signer:)"),
      StatedMember("authenticator", identity.authenticator, at: "identity: ServiceIdentity(authenticator:)"),
      StatedMember("clock", identity.clock, at: "identity: ServiceIdentity(clock:)"),
      StatedMember("verifier", identity.verifier, at: "identity: ServiceIdentity(verifier:)"),
      StatedMember("client", wire.client, at: "wire: WireOptions(client:)"),
      StatedMember("parameterEncoding", wire.parameterEncoding, at: "wire: WireOptions(parameterEncoding:)"),
      StatedMember("timeouts", wire.timeouts, at: "wire: WireOptions(timeouts:)"),
      StatedMember("decoders", wire.decoders, at: "wire: WireOptions(decoders:)"),
      StatedMember("requestIDField", wire.requestIDField, at: "wire: WireOptions(requestIDField:)"),
      StatedMember("loadOptions", wire.loadOptions, at: "wire: WireOptions(loadOptions:)"),
      StatedMember("cipher", wire.cipher, at: "wire: WireOptions(cipher:)"),
      StatedMember("store", cache.store, at: "cache: CacheOptions(store:)"),
      StatedMember("partition", cache.partition, at: "cache: CacheOptions(partition:)"),
      StatedMember("origin", cache.origin, at: "cache: CacheOptions(origin:)"),
      StatedMember(
        "volatileParameters", cache.volatileParameters, at: "cache: CacheOptions(volatileParameters:)"),
      StatedMember("retryPolicy", admission.retryPolicy, at: "admission: AdmissionOptions(retryPolicy:)"),
      StatedMember("networkGate", admission.networkGate, at: "admission: AdmissionOptions(networkGate:)"),
      StatedMember("network", admission.network, at: "admission: AdmissionOptions(network:)"),
      StatedMember("requestRate", admission.requestRate, at: "admission: AdmissionOptions(requestRate:)"),
      StatedMember("hostLimits", admission.hostLimits, at: "admission: AdmissionOptions(hostLimits:)"),
      StatedMember("breaker", admission.breaker, at: "admission: AdmissionOptions(breaker:)"),
      StatedMember("hosts", admission.hosts, at: "admission: AdmissionOptions(hosts:)"),
    ]
    return statements.faults(of: self, of: "APIService")
  }
}
