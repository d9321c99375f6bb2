extension HTTPURL {
  /// Whether its query has a secret parameter.
  var hasSecretParameters: Bool { query?.split(separator: "&").contains(where: Self.isSecret) == true }

  /// The URL without the secret parameters of its query.
  var withoutSecretParameters: HTTPURL {
    var url = self
    url.query = query?.split(separator: "&").filter { !Self.isSecret($0) }.joined(separator: "&")
    return url
  }

  private static func isSecret(_ pair: Substring) -> Bool {
    let name = pair.prefix { $0 != "=" }
    return SecretNames.contains(PercentEncoding.decode(name, plusIsSpace: true) ?? String(name))
  }
}
