extension OAuthConfiguration: Written {
  static let form = WrittenForm<Self>(
    name: "OAuthConfiguration", start: { Self(clientID: "", tokenEndpoint: "https://localhost/") },
    members: [
      .plain("clientID", \.clientID),
      .mapped("proof", \.proof, isSecret: \.hasSecret, WrittenProof.init, \.proof),
      .url("authorizationEndpoint", \.authorizationEndpoint), .url("tokenEndpoint", \.tokenEndpoint),
      .url("deviceEndpoint", \.deviceEndpoint), .url("revocationEndpoint", \.revocationEndpoint),
      .plain("issuer", \.issuer), .plain("requiresIssuer", \.requiresIssuer), .plain("scopes", \.scopes),
      .mapped("extraParameters", \.extraParameters, WrittenParameters.init, \.parameters),
    ], required: ["clientID", "tokenEndpoint"])
}

extension OAuthConfiguration.ClientProof {
  fileprivate var hasSecret: Bool { if case .none = self { false } else { true } }
}

/// How a client authenticates itself, as it is sealed. Not `Codable` itself, so that it is not written alone and open.
private struct WrittenProof: WrittenCases {
  let proof: OAuthConfiguration.ClientProof

  init(_ proof: OAuthConfiguration.ClientProof) { self.proof = proof }

  var written: WrittenCase {
    switch proof {
    case .none: WrittenCase("none")
    case .basic(let secret): WrittenCase("basic", secret)
    case .post(let secret): WrittenCase("post", secret)
    }
  }

  static func read(_ one: WrittenCase.Reader) throws -> Self? {
    switch one.name {
    case "none": Self(.none)
    case "basic": Self(.basic(secret: try one.value()))
    case "post": Self(.post(secret: try one.value()))
    default: nil
    }
  }
}
