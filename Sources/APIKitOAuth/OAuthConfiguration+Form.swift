import APIKit
import APIKitSettings

extension OAuthConfiguration: Codable {
  static let form = VersionedForm<Self>(
    name: "OAuthConfiguration", start: { Self(clientID: "", tokenEndpoint: "https://localhost/") },
    .plain("clientID", \.clientID),
    .mapped(
      "proof", \.proof, isSecret: { if case .none = $0 { false } else { true } }, write: CodedProof.init,
      read: \.proof),
    .url("authorizationEndpoint", \.authorizationEndpoint), .url("tokenEndpoint", \.tokenEndpoint),
    .url("deviceEndpoint", \.deviceEndpoint), .url("revocationEndpoint", \.revocationEndpoint),
    .plain("issuer", \.issuer), .plain("requiresIssuer", \.requiresIssuer), .plain("scopes", \.scopes),
    .mapped("extraParameters", \.extraParameters, write: WrittenParameters.init, read: \.parameters),
    required: ["clientID", "tokenEndpoint"])

  /// Reads the written form.
  public init(from decoder: any Decoder) throws { self = try Self.form.read(from: decoder) }
  /// Writes the form.
  public func encode(to encoder: any Encoder) throws { try Self.form.write(self, to: encoder) }
}

/// The form of a proof, which is not `Codable` itself, so that it is not written alone and open.
private struct CodedProof: Codable {
  static let cases = CaseTable<OAuthConfiguration.ClientProof>(
    .plain("none", .none) { if case .none = $0 { true } else { false } },
    .holding(
      "basic", { if case .basic(let secret) = $0 { secret } else { nil } }, make: { .basic(secret: $0) }),
    .holding("post", { if case .post(let secret) = $0 { secret } else { nil } }, make: { .post(secret: $0) }))

  let proof: OAuthConfiguration.ClientProof

  init(_ proof: OAuthConfiguration.ClientProof) { self.proof = proof }
  init(from decoder: any Decoder) throws { proof = try Self.cases.read(from: decoder) }
  func encode(to encoder: any Encoder) throws { try Self.cases.write(proof, to: encoder) }
}
