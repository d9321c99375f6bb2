extension HTTPURL {
  /// Whether its query has a secret parameter.
  package var hasSecretParameters: Bool {
    query?.split(separator: "&").contains(where: Self.isSecret) == true
  }

  /// The URL without the secret parameters of its query.
  var withoutSecretParameters: HTTPURL {
    var url = self
    url.query = query?.split(separator: "&").filter { !Self.isSecret($0) }.joined(separator: "&")
    return url
  }

  /// Scheme, host, port and path, the secrets of the path masked.
  var maskedLocation: String { authorityText + SecretMask().path(of: self) }

  /// The whole URL, with its secrets masked.
  package var masked: String { SecretMask().url(self) }

  private static func isSecret(_ pair: Substring) -> Bool {
    let name = pair.prefix { $0 != "=" }
    return SecretNames.contains(PercentEncoding.decode(name, plusIsSpace: true) ?? String(name))
  }
}

/// The values of secret names that were put into a path, so that whatever prints the path can leave them out.
///
/// The path alone does not say which of its segments are secret, and it is printed where its template is not known.
struct PathSecrets: Sendable {
  /// The placeholders and what stands for them in the path, percent-encoded.
  private(set) var values: [(name: String, text: String)] = []

  /// No secrets.
  init() {}

  /// Those of an endpoint's path.
  init(_ names: [String], of parameters: Parameters) {
    for name in names where SecretNames.contains(name) {
      guard let value = parameters[name], let text = try? QueryStyle().text(of: value), !text.isEmpty else {
        continue
      }
      values.append((name, PercentEncoding.component.encode(text)))
    }
  }
}
