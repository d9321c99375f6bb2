extension OAuthConfiguration: VersionedCodable {
  static let form = VersionedForm<Self>(
    name: "OAuthConfiguration", start: { Self(clientID: "", tokenEndpoint: "https://localhost/") },
    .plain("clientID", \.clientID),
    .mapped(
      "proof", \.proof, isSecret: { if case .none = $0 { false } else { true } }, write: CodedCase.init,
      read: \.value),
    .url("authorizationEndpoint", \.authorizationEndpoint), .url("tokenEndpoint", \.tokenEndpoint),
    .url("deviceEndpoint", \.deviceEndpoint), .url("revocationEndpoint", \.revocationEndpoint),
    .plain("issuer", \.issuer), .plain("requiresIssuer", \.requiresIssuer), .plain("scopes", \.scopes),
    .mapped("extraParameters", \.extraParameters, write: WrittenParameters.init, read: \.parameters),
    required: ["clientID", "tokenEndpoint"])
}

// Not `Codable`, so that it is not written alone and open.
extension OAuthConfiguration.ClientProof: CaseCoded {
  static let cases = CaseTable<Self>(
    .plain("none", .none) { if case .none = $0 { true } else { false } },
    .holding("basic", { if case .basic(let secret) = $0 { secret } else { nil } }, make: Self.basic(secret:)),
    .holding("post", { if case .post(let secret) = $0 { secret } else { nil } }, make: Self.post(secret:)))
}
