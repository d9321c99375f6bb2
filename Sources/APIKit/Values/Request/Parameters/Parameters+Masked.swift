import Foundation

extension Parameters {
  /// The parameters with the values of secret names masked, at every level and in texts that are JSON, forms or URLs.
  package var masked: Parameters {
    let namesSecret = namesSecret
    return Parameters(
      pairs.map { pair in
        let isSecret = Self.isSecret(pair.name, namesSecret)
        return (pair.name, isSecret ? .string(SecretMask.mark) : pair.value.masked)
      })
  }

  /// Whether a name at any level is that of a secret, or a pair names the secret that another one holds.
  package var hasSecrets: Bool {
    let namesSecret = namesSecret
    return pairs.contains { Self.isSecret($0.name, namesSecret) || $0.value.hasSecrets }
  }

  /// Whether a pair says the name of a secret, as in `name=password, value=…`.
  private var namesSecret: Bool {
    pairs.contains { pair in
      guard SecretMask.isLabel(pair.name), case .string(let name) = pair.value else { return false }
      return SecretNames.contains(name)
    }
  }

  private static func isSecret(_ name: String, _ isNamed: Bool) -> Bool {
    SecretNames.contains(name) || isNamed && SecretMask.isLabelled(name)
  }
}

extension Parameters: Redacted {
  /// The pairs in order, secrets masked (``SecretNames``) and long values shortened: `city=Suzhou, token=•••`.
  public var description: String {
    masked.pairs.map { "\($0.name)=\($0.value.shownText)" }.joined(separator: ", ")
  }
  /// The pairs as they are printed, so that `dump` shows no secret either.
  public var customMirror: Mirror {
    Mirror(
      self, children: masked.pairs.map { (label: $0.name, value: $0.value.shownText) },
      displayStyle: .dictionary)
  }
}

extension ParameterValue {
  fileprivate var masked: ParameterValue {
    switch self {
    case .object(let parameters): .object(parameters.masked)
    case .array(let values): .array(values.map(\.masked))
    case .string(let text): .string(SecretMask().nested(text))
    default: self
    }
  }

  fileprivate var hasSecrets: Bool {
    switch self {
    case .object(let parameters): parameters.hasSecrets
    case .array(let values): values.contains(where: \.hasSecrets)
    default: false
    }
  }

  /// The value for a line of a record: long texts are cut, bytes are only counted.
  package var shownText: String {
    switch self {
    case .string(let text), .number(let text): text.utf8.count > 80 ? "\(text.prefix(77))…" : text
    case .integer(let number): String(number)
    case .double(let number): String(number)
    case .bool(let flag): String(flag)
    case .date(let date): ISO8601.text(secondsSince1970: date.timeIntervalSince1970) ?? "a date"
    case .data(let bytes): "\(bytes.count) bytes"
    case .null: "null"
    case .array(let values):
      values.count > 8
        ? "\(values.count) values" : "[" + values.map(\.shownText).joined(separator: ", ") + "]"
    case .object(let parameters):
      "{" + parameters.pairs.map { "\($0.name)=\($0.value.shownText)" }.joined(separator: ", ") + "}"
    }
  }
}
